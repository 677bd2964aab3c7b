import { type Message, textOf } from './chat-request.ts';

/** A value that stands behind its field's name, with what proves it. Nulls where it stands nowhere. */
export interface LabelledValue {
  value: string | number | null;
  quote: string | null;
  page: number | null;
}

const none: LabelledValue = { value: null, quote: null, page: null };

/** The pages of a document that a chat shows, each in an element with its number. */
const pagesIn = (messages: readonly Message[]) =>
  messages.flatMap((message) => [
    ...textOf(message).matchAll(/<page number="(\d+)">\n([\s\S]*?)\n<\/page>/g),
  ]);

/** Finds what stands behind a field's name on a page: `Total: 12.50` for `total`, `Invoice number 17` for `invoice_number`. */
export function labelledValue(
  messages: readonly Message[],
  name: string,
  isNumber: boolean,
): LabelledValue {
  const words = name.match(/\p{Lu}?\p{Ll}+|\p{Lu}+|\d+/gu) ?? [];
  const label = words.join('[\\s_.-]*');
  if (!label) return none;
  const value = isNumber ? '(-?\\d[\\d.,]*\\d|\\d)' : '([^\\s|][^\\n|]{0,60})';
  const line = new RegExp(`\\b${label}\\b[\\s:.|#$€£]{1,4}${value}`, 'iu');
  for (const [, page, text = ''] of pagesIn(messages)) {
    const [quote, found] = text.match(line) ?? [];
    if (quote === undefined || found === undefined) continue;
    const told = isNumber ? Number(found.replaceAll(',', '')) : found.trim();
    if (typeof told === 'string' || Number.isFinite(told)) {
      return { value: told, quote: quote.trim(), page: Number(page) };
    }
  }
  return none;
}
