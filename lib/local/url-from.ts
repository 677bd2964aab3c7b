import { StageError } from './stage-error.ts';

/**
 * Returns the URL that a variable of the machine's environment holds; undefined if it is not set or empty. Throws
 * `StageError` for one without http:// or https://.
 */
export function urlFrom(name: string, environment = process.env): string | undefined {
  const text = environment[name];
  if (!text) return undefined;
  if (/^https?:\/\//i.test(text) && URL.canParse(text)) return text;
  const likely = `http://${text}`;
  const example = !text.includes('://') && URL.canParse(likely) ? `, such as ${likely}` : '';
  throw new StageError(
    `${name} is ${JSON.stringify(text)}: it should be a URL that begins with http:// or https://${example}.`,
  );
}
