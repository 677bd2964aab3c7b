/** What a reader left out of the text of a document or a page, or guessed, by a code for each. */
export const warnings = {
  hidden_left_out: 'Hidden sheets, rows, columns or text were left out.',
  formula_without_value: 'The file keeps no value for a formula, which is shown in its place.',
  attachment_not_read: 'A document within the document lies too deep, and was not read.',
  cut_off: 'The file ends before its own end: what comes after is missing.',
  encoding_guessed: 'The file doesn’t tell its encoding, which was guessed.',
  part_not_read: 'A picture or a file in the document was not read.',
  font_missing: 'Text in a font that is not in the file was not read.',
} as const;

/** A code of a warning. */
export type Warning = keyof typeof warnings;

/** A text as it was read, with what its reader warns of. */
export interface WarnedText {
  text: string;
  warnings?: Warning[];
}
