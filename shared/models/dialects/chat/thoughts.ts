import { parsed } from '../../field.ts';
import { sealMarks, type ThoughtPart } from '../ask.ts';
import type { Body } from '../dialect.ts';

/** By which name a model told its thoughts, and what it wants back of them beside the text. */
interface Told {
  model: string;
  name: string;
  details?: Body[];
}

/** Writes it as a signature: callers of other dialects send that back as it is. */
export const sealed = (told: Told): string =>
  sealMarks.chat + Buffer.from(JSON.stringify(told)).toString('base64url');

function toldIn({ signature }: ThoughtPart): Told | undefined {
  if (!signature?.startsWith(sealMarks.chat)) return undefined;
  const told = Buffer.from(signature.slice(sealMarks.chat.length), 'base64url').toString();
  return parsed(told) as Told | undefined;
}

/**
 * Returns the fields that give a model its thoughts back by the names that it used, as DeepSeek needs beside tool
 * calls. Other models' are left out; unsealed ones are given beside their calls to a model that thinks.
 * @see https://api-docs.deepseek.com/guides/thinking_mode
 */
export function thoughtFields(
  thoughts: readonly ThoughtPart[],
  { model, takesUnsealed }: { model: string; takesUnsealed: boolean },
): Body {
  const fields: Record<string, unknown> = {};
  const add = (name: string, text: string) => {
    fields[name] = `${fields[name] ?? ''}${text}`;
  };
  for (const thought of thoughts) {
    const told = toldIn(thought);
    const isOpen = thought.signature === undefined && thought.encrypted === undefined;
    if (isOpen && takesUnsealed) add('reasoning_content', thought.text);
    if (told?.model !== model) continue;
    add(told.name, thought.text);
    const before = (fields['reasoning_details'] ?? []) as Body[];
    if (told.details) fields['reasoning_details'] = [...before, ...told.details];
  }
  return fields;
}

/** Puts the pieces of details together that came one by one, as OpenRouter streams them. */
export function joined(details: Body[], more: readonly Body[]): void {
  for (const each of more) {
    const last = details.at(-1);
    const goesOn = last?.['type'] === each['type'] && last?.['index'] === each['index'];
    if (!last || !goesOn || each['type'] === 'reasoning.encrypted') details.push({ ...each });
    else {
      for (const [name, value] of Object.entries(each)) {
        if (value === null || value === undefined) continue;
        const isText = name === 'text' || name === 'summary';
        last[name] = isText ? `${last[name] ?? ''}${value}` : value;
      }
    }
  }
}

/** The text of details, for servers that tell it nowhere else. */
export const textOfDetails = (details: readonly Body[]): string =>
  details
    .map(({ text, summary }) => [text, summary].find((each) => typeof each === 'string') ?? '')
    .join('');
