import { readFile } from 'node:fs/promises';
import { isAbsolute, join, normalize } from 'node:path';
import * as v from 'valibot';
import { CommandError } from '../../../lib/cli/command-line.ts';
import type { PageBox } from './extraction.ts';

const PerMille = v.pipe(v.number(), v.minValue(0), v.maxValue(1000));

/** Where a value stands: its page and, if it is known, its box there. */
const Place = v.object({
  page: v.pipe(v.number(), v.integer(), v.minValue(1)),
  box: v.exactOptional(v.pipe(v.tuple([PerMille, PerMille, PerMille, PerMille]), v.readonly())),
});

const Schema = v.record(v.string(), v.unknown());

const Expected = v.object({
  /** Of all documents that have none of their own. */
  schema: v.exactOptional(Schema),
  instruction: v.exactOptional(v.string()),
  documents: v.pipe(
    v.array(
      v.object({
        file: v.pipe(v.string(), v.nonEmpty()),
        schema: v.exactOptional(Schema),
        values: v.record(v.string(), v.unknown()),
        evidence: v.exactOptional(v.record(v.string(), Place), {}),
      }),
    ),
    v.minLength(1),
  ),
});

export type Place = { page: number; box?: PageBox };

/** A document of a folder, and what is true of it. */
export interface ExpectedDocument {
  file: string;
  schema: Record<string, unknown>;
  instruction?: string;
  values: Record<string, unknown>;
  /** By JSON pointers into the values. */
  evidence: Record<string, Place>;
}

/** Reads `expected.json` of a folder. Throws CommandError with what is wrong in it. */
export async function readExpected(folder: string): Promise<ExpectedDocument[]> {
  const path = join(folder, 'expected.json');
  const read = v.safeParse(Expected, parsed(await textOf(path), path));
  if (!read.success) {
    const [issue] = read.issues;
    throw new CommandError(`${path}: ${v.getDotPath(issue) ?? 'it'}: ${issue.message}.`);
  }
  const { schema, instruction, documents } = read.output;
  return documents.map((document) => {
    const own = document.schema ?? schema;
    if (!own)
      throw new CommandError(`${path}: ${document.file} has no schema, and there is none for all.`);
    if (isAbsolute(document.file) || normalize(document.file).startsWith('..')) {
      throw new CommandError(`${path}: ${document.file} is not a file of the folder.`);
    }
    return { ...document, schema: own, ...(instruction !== undefined && { instruction }) };
  });
}

async function textOf(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (cause) {
    throw new CommandError(`${path} can't be read: ${(cause as Error).message}.`, { cause });
  }
}

function parsed(text: string, path: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new CommandError(`${path} is no JSON: ${(cause as Error).message}.`, { cause });
  }
}
