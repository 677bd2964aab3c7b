import { functionName } from './config.ts';

type Level = 'info' | 'warn' | 'error';

/** The fields of one log line. They never hold a prompt, a completion, a document or a key's secret. */
export type LogFields = Record<string, string | number | boolean | null | undefined>;

/** Writes one JSON line to standard output. A part of an account is logged as its key and the part's number. */
export function log(level: Level, message: string, fields: LogFields = {}): void {
  const [key_id, part] = typeof fields['key_id'] === 'string' ? fields['key_id'].split('#') : [];
  const ofPart = part !== undefined && { key_id, part: Number(part) };
  const line = { level, message, function: functionName(), ...fields, ...ofPart };
  process.stdout.write(`${JSON.stringify(line)}\n`);
}

const maxWords = 300;

/** What an error says, as far as a log line has room, and without an API key that somebody put in a wrong place. */
const loggable = (text: string) =>
  text
    .replaceAll(/\bsk-[\w-]{8,}/g, '(key)')
    .toWellFormed()
    .slice(0, maxWords);

/** Errors whose sentence may have words of a request or of a document: its names, an id or a model that isn't one. */
const quoting = [
  ...['invalid_lines', 'invalid_messages', 'model_not_found', 'not_found', 'conflict'],
  ...['unsupported_file_type', 'file_too_large', 'too_many_lines', 'too_many_pages'],
];

/** The same for an error with a code; the code alone if the sentence may quote. */
export const errorWords = ({ code, message }: { code: string; message: string }) =>
  quoting.includes(code) ? code : loggable(`${code}: ${message}`);

/** The same for a job's error, which is its code and its sentence. */
export function jobErrorWords(error: string): string {
  const [code = '', ...message] = error.split(': ');
  return message.length > 0 ? errorWords({ code, message: message.join(': ') }) : loggable(error);
}

/** The fields that describe an error: its and its cause's name and message, and its stack. */
export function errorFields(error: unknown): LogFields {
  if (!(error instanceof Error)) return { error: typeof error };
  const cause = error.cause instanceof Error ? nameAndMessage(error.cause) : undefined;
  return { error: nameAndMessage(error), cause, stack: stackOf(error) };
}

/** What is said of an error that quotes: its code, or its name; a `SyntaxError` quotes what was parsed. */
function insteadOf(error: Error & { code?: unknown }): string | undefined {
  if (error instanceof SyntaxError) return '';
  return quoting.find((code) => code === error.code);
}

const nameAndMessage = (error: Error) =>
  [error.name, insteadOf(error) ?? error.message].filter(Boolean).join(': ');

const stackOf = (error: Error) =>
  insteadOf(error) === undefined ? error.stack : error.stack?.replace(error.message, () => '…');
