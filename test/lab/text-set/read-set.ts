import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { kindOf } from '../../../shared/documents/kind.ts';
import { openDocument } from '../../../shared/documents/parts/open-document.ts';
import { decodeText } from '../../../shared/documents/text.ts';
import { hasPages } from '../../../shared/jobs/sources/source-job.ts';
import { formats } from './formats.ts';
import { type Paper, papers } from './papers.ts';
import { scoreOf, type TextScore } from './score.ts';

/** A file of the set, with the paper that it is made of. */
export interface SetFile {
  name: string;
  paper: Paper;
  bytes: Uint8Array;
}

/** Makes the files of the set, each paper in each format. */
export async function* textSet(): AsyncGenerator<SetFile> {
  for (const paper of papers) {
    for (const [ending, make] of Object.entries(formats)) {
      yield { name: `${paper.name}${ending}`, paper, bytes: Buffer.from(await make(paper)) };
    }
  }
}

/** Reads a file of the set as a job does, without OCR. */
export async function textOf({ name, bytes }: SetFile): Promise<string> {
  const kind = kindOf(bytes, '', name);
  if (!kind) throw new Error(`${name} is of no kind that is read`);
  if (!hasPages(kind)) return decodeText(bytes);
  const folder = await mkdtemp(join(tmpdir(), 'quire-texts-'));
  const path = join(folder, 'document');
  await writeFile(path, bytes);
  const document = await openDocument(path, kind as 'pdf', { turn: 'set' });
  try {
    const texts: string[] = [];
    for (let page = 1; page <= document.pageCount; page++) {
      texts.push((await document.readPage(page, { draw: false })).textLayer ?? '');
    }
    return texts.join('\n\n');
  } finally {
    document.close();
    await rm(folder, { recursive: true });
  }
}

/** Returns the scores of texts, by the ending of their files, and the mean of all as `all`. */
export async function scoresOf(
  read: (file: SetFile) => Promise<string>,
): Promise<Record<string, TextScore>> {
  const scores: (TextScore & { ending: string })[] = [];
  for await (const file of textSet()) {
    const ending = file.name.slice(file.paper.name.length);
    scores.push({ ending, ...scoreOf(file.paper, await read(file)) });
  }
  const byEnding = Map.groupBy(scores, ({ ending }) => ending);
  return Object.fromEntries(
    [...byEnding, ['all', scores] as const].map(([name, some]) => [name, meanOf(some)]),
  );
}

function meanOf(scores: TextScore[]): TextScore {
  const mean = (name: keyof TextScore) =>
    scores.reduce((sum, score) => sum + score[name], 0) / scores.length;
  return {
    words: mean('words'),
    order: mean('order'),
    recall: mean('recall'),
    precision: mean('precision'),
  };
}
