import type { AskMessage, TextPart } from './ask.ts';

/** Says in words that a tool failed, where the dialect has no field for it. */
export function toldAsError(
  { isError }: AskMessage & { role: 'tool' },
  texts: TextPart[],
): TextPart[] {
  const [first] = texts;
  if (!isError || /^\s*\W?error/i.test(first?.text ?? '')) return texts;
  return [{ is: 'text', text: `Error: ${first?.text ?? 'the tool failed'}` }, ...texts.slice(1)];
}
