import { functionName } from './config.ts';

type Level = 'info' | 'warn' | 'error';

/** Facts for one log line. Never a prompt, an answer, a document or a key's secret. */
export type LogFields = Record<string, string | number | boolean | null | undefined>;

/** Writes one JSON line to standard output, where Lambda collects it. */
export function log(level: Level, message: string, fields: LogFields = {}): void {
  const line = { level, message, function: functionName(), ...fields };
  process.stdout.write(`${JSON.stringify(line)}\n`);
}

/** What an error may say in a log: its name, message, code and stack, through its causes. */
export function errorFields(error: unknown): LogFields {
  if (!(error instanceof Error)) return { error: typeof error };
  const cause =
    error.cause instanceof Error ? `${error.cause.name}: ${error.cause.message}` : undefined;
  return { error: `${error.name}: ${error.message}`, cause, stack: error.stack };
}
