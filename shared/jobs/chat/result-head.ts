/** What is said of an answer at its head. */
export interface AnswerHead {
  /** Absent where the document itself was the prompt. */
  question: string | undefined;
  model: string;
  job: string;
  source: string | undefined;
}

/**
 * Returns an answer as Markdown with front matter: what was asked, of which model, when, and by which job.
 * Strings are written as JSON, which is YAML too.
 */
export function withHead(answer: string, { question, model, job, source }: AnswerHead): string {
  const fields = { question, model, date: new Date().toISOString(), job, source };
  const lines = Object.entries(fields).flatMap(([name, value]) =>
    value === undefined ? [] : `${name}: ${quoted(value)}`,
  );
  return ['---', ...lines, '---', '', answer].join('\n');
}

/** Quotes a string. What JSON may leave as it is and YAML may not have in a line is escaped. */
const quoted = (text: string) =>
  JSON.stringify(text).replace(
    /[\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]/g,
    (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
