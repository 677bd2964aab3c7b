import { isGone } from '../../aws/is-gone.ts';
import type { PageWords } from '../../ocr/words.ts';
import type { Claimed } from '../engine/item/job.ts';
import {
  copyObject,
  folderOf,
  getCompressed,
  putCompressed,
  putObject,
} from '../engine/item/objects.ts';
import type { SourceJob } from '../sources/source-job.ts';
import type { PageStep } from './page-steps.ts';

/* A page's words lie in an object beside its step, for fields asked later. Textract's words are always kept. */

/** A word as it is kept: its text, its box in per mille, and how sure its reading is. */
type KeptWord = [text: string, ...box: [number, number, number, number], confidence: number | null];

interface KeptWords {
  turn: number;
  words: KeptWord[];
}

type WordsOfStep = Pick<PageStep, 'words_object' | 'turn'>;

/** Keeps the words of a page that is read. Returns what its step says of them: nothing if it has none. */
export async function keepWords(
  job: Claimed<SourceJob>,
  page: number,
  { words, turn }: PageWords,
): Promise<WordsOfStep> {
  if (words.length === 0) return {};
  const kept: KeptWords = {
    turn,
    words: words.map(({ text, box, confidence }): KeptWord => [text, ...box, confidence]),
  };
  const words_object = await putCompressed(job, nameOf(job, page), JSON.stringify(kept));
  return { words_object, ...(turn > 0 && { turn }) };
}

/** Gives a job its own copy of the words of a page that was read before. Undefined if they are gone. */
export async function copyWords(
  job: Claimed<SourceJob>,
  { page, words_object, turn }: PageStep,
): Promise<WordsOfStep | undefined> {
  if (!words_object) return {};
  const own = `${folderOf(job)}/${nameOf(job, page)}`;
  try {
    await copyObject(words_object, own);
  } catch (error) {
    if (isGone(error)) return undefined;
    throw error;
  }
  return { words_object: own, ...(turn && { turn }) };
}

/** Reads the words of a page; none where none were kept. */
export async function wordsOfStep({ words_object }: PageStep): Promise<PageWords> {
  if (!words_object) return { words: [], turn: 0 };
  const { words, turn } = JSON.parse(await getCompressed(words_object)) as KeptWords;
  return {
    words: words.map(([text, left, top, right, bottom, confidence]) => ({
      text,
      box: [left, top, right, bottom],
      confidence,
    })),
    turn,
  };
}

/** Keeps the picture of a page for a model that is to see it. Returns its object. */
export const keepPicture = (
  job: Claimed<SourceJob>,
  page: number,
  jpeg: Uint8Array,
): Promise<string> => putObject(job, `picture-${page}.jpg`, jpeg, 'image/jpeg');

/** Each run has objects of its own, so that none writes over what a step names. */
const nameOf = ({ lease_id }: Claimed<SourceJob>, page: number) =>
  `words-${page}-${lease_id}.json.gz`;
