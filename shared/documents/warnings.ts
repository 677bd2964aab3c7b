/** What the text of a document says at its end where it is not all that the document holds, by a code for each. */
export const warnings = {
  hidden_left_out: 'Hidden sheets, rows, columns or text were left out.',
  formula_without_value: 'The file keeps no value for a formula, which is shown in its place.',
  attachment_not_read: 'A document within the document lies too deep, and was not read.',
} as const;

/** A code of a warning. */
export type Warning = keyof typeof warnings;
