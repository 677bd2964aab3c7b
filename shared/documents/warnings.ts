/** What a result says of a page or a file whose text is not all that it shows, and the sentence for it. */
export const warnings = {
  hidden_left_out: 'Hidden sheets, rows, columns or text were left out.',
  formula_without_value: 'The file keeps no value for a formula: the formula is shown.',
  encoding_guessed: 'The file does not name its encoding, which was guessed.',
  letters_unknown: 'Some letters of the text have no known meaning and are shown as �.',
  picture_not_read: 'A picture was not read.',
  attachment_not_read: 'A file in the document was not read.',
  form_not_read: 'The document is a form that only its own program shows.',
  text_cut: 'The text was longer than is read, and was cut.',
} as const;

/** A code of a warning. */
export type Warning = keyof typeof warnings;

/** Is told what a reader leaves out or guesses. */
export type Warn = (warning: Warning) => void;
