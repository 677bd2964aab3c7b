import { type Sentence, sentencesOf } from './sentences.ts';

/** A message without the sources in it, and the sentences of those; undefined if it comes without sources. */
export interface SplitMessage {
  text: string;
  sources: Sentence[] | undefined;
}

const source = /<source\b(?: n="(\d+)")?[^>]*>\n?([\s\S]*?)\n?<\/source>/g;
const listMarker = /^(?:[-*+]|\d+[.)])\s+/;

/** Takes the `<source n="1">…</source>` out of a message, as they are commonly given. Sentences cite a source's number. */
export function splitSources(message: string): SplitMessage {
  const sources: Sentence[] = [];
  const text = message.replace(source, (_, n: string | undefined, content: string) => {
    for (const sentence of sentencesOf(content)) {
      const plain = sentence.text.replace(listMarker, '');
      sources.push({ ...sentence, text: n ? cited(plain, n) : plain });
    }
    return '';
  });
  const plain = text.replace(/<\/?sources>/g, '').trim();
  return { text: plain, sources: plain === message.trim() ? undefined : sources };
}

/** Writes a source's number into a sentence, before the mark that ends it. */
const cited = (sentence: string, n: string) => sentence.replace(/([.!?]?)$/, ` [${n}]$1`);
