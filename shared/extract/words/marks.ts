import type { Place, Span } from './place.ts';
import type { ReadPage } from './read-page.ts';

const kinds: [Mark['kind'], RegExp][] = [
  ['yes', /^(?:yes|ja|oui|s[iíì]|true)$/iu],
  ['no', /^(?:no|nein|non|false)$/iu],
  ['tick', /^(?:x|☒|☑|✓|✔|✗|✘|\[[x✓✔]\])$/iu],
  ['empty', /^(?:☐|□|\[_?\])$/u],
];

interface Mark {
  kind: 'yes' | 'no' | 'tick' | 'empty';
  at: number;
}

/** Returns the mark or word that says yes, or no; nothing where others say the contrary. */
export function marksIn(page: ReadPage, { start, end }: Span, value: boolean): Place[] {
  const marks = page.words.slice(start, end).flatMap(({ text }, n): Mark[] => {
    const next = page.words[start + n + 1]?.text;
    const bare =
      text === '[' && next === ']'
        ? '[]'
        : text.replace(/^[(.,:;]+/, '').replace(/(?<![).,:;?])[).,:;?]+$/, '');
    const kind = kinds.find(([, shape]) => shape.test(bare))?.[0];
    return kind ? [{ kind, at: start + n }] : [];
  });
  const said = saidBy(marks);
  if (said?.value !== value) return [];
  return [{ start: said.from, end: said.to + 1, found: 'normalized', share: 1 }];
}

function saidBy(marks: readonly Mark[]): { value: boolean; from: number; to: number } | undefined {
  const words = marks.filter(({ kind }) => kind === 'yes' || kind === 'no');
  const boxes = marks.filter(({ kind }) => kind === 'tick' || kind === 'empty');
  const ticks = boxes.filter(({ kind }) => kind === 'tick');
  const [word] = words;
  if (words.some(({ kind }) => kind !== word?.kind)) return tickedWord(marks, ticks);
  if (word && ticks.length === boxes.length)
    return { value: word.kind === 'yes', from: word.at, to: word.at };
  const [box] = boxes;
  if (!box || boxes.some(({ kind }) => kind !== box.kind)) return undefined;
  const isTicked = box.kind === 'tick';
  // An empty box beside `No` says nothing of yes.
  if (word) return undefined;
  return { value: isTicked, from: box.at, to: box.at };
}

/** Returns the word that is ticked where yes and no both stand; boxes are before their words, or all after. */
function tickedWord(marks: readonly Mark[], ticks: readonly Mark[]) {
  const [tick] = ticks;
  if (!tick || ticks.length > 1) return undefined;
  const step = marks[0]?.kind === 'yes' || marks[0]?.kind === 'no' ? -1 : 1;
  const word = marks[marks.indexOf(tick) + step];
  if (word?.kind !== 'yes' && word?.kind !== 'no') return undefined;
  const [from, to] = [Math.min(tick.at, word.at), Math.max(tick.at, word.at)];
  return { value: word.kind === 'yes', from, to };
}
