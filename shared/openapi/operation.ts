import type * as v from 'valibot';
import type { HeaderName } from './headers.ts';
import type { Tag } from './tags.ts';

/** One route of the service as the document tells of it. */
export interface Operation {
  method: 'get' | 'post';
  path: string;
  operationId: string;
  tag: Tag;
  summary: string;
  description: string;
  /** For everyone, with an API key or without. */
  open?: boolean;
  parameters?: ParameterGroup[];
  body?: Content;
  /** By status, or by `5XX`. */
  answers: Record<string, Answer>;
}

/** The parameters of one part of a request. */
export interface ParameterGroup {
  in: 'query' | 'header' | 'path';
  entries: v.ObjectEntries;
  words: Record<string, ParameterWords>;
}

interface ParameterWords {
  description: string;
  example?: string;
  /** As it is usually written; the schema has headers in lower case. */
  name?: string;
}

/** What the body of a request or an answer fits. */
export interface Content {
  schema: v.GenericSchema;
  examples: Record<string, unknown>;
}

export interface Answer {
  description: string;
  headers?: HeaderName[];
  /** By media type. */
  content: Record<string, Content>;
}

/** The parameters that an object's schema takes from one part of a request. */
export const parameters = <Schema extends { entries: v.ObjectEntries }>(
  part: ParameterGroup['in'],
  { entries }: Schema,
  words: Record<keyof Schema['entries'], ParameterWords>,
): ParameterGroup => ({ in: part, entries, words });

/** A body and examples of it, each under a sentence that says what it shows. */
export const content = <Schema extends v.GenericSchema>(
  schema: Schema,
  examples: Record<string, v.InferInput<Schema>> = {},
): Content => ({ schema, examples });

/** An answer in JSON. */
export const json = <Schema extends v.GenericSchema>(
  description: string,
  schema: Schema,
  examples: Record<string, v.InferInput<Schema>> = {},
  headers: HeaderName[] = [],
): Answer => ({
  description,
  headers,
  content: { 'application/json': content(schema, examples) },
});
