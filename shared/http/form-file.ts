import * as v from 'valibot';
import { stringUpTo } from './schema.ts';

/** A file that a form carries. */
export const FormFile = v.object({
  filename: v.pipe(stringUpTo(500), v.minLength(1)),
  bytes: v.instance(Uint8Array),
});
export type FormFile = v.InferOutput<typeof FormFile>;
