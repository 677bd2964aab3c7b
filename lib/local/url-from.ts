import { StageError } from './stage-error.ts';

/** Returns the URL in a variable of the environment; undefined if it is empty. Throws `StageError` unless it is http(s). */
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
