import * as v from 'valibot';
import { AttachedFile } from '../shared/documents/attached/attached-file.ts';
import { readAttached } from '../shared/documents/attached/read-attached.ts';

/** Reads a document for another function of this service. */
export const handler = async (event: unknown) => readAttached(v.parse(AttachedFile, event));
