import type { TokenCounts } from '../../results/result.ts';
import type { Sourced, SourceJob } from '../../sources/source-job.ts';

/** The routes that lines of a file of requests may ask, one and the same in all of a file. */
export const lineEndpointNames = [
  '/v1/chat/completions',
  '/v1/responses',
  '/v1/embeddings',
] as const;

export type LineEndpoint = (typeof lineEndpointNames)[number];

/** The route of a file that says none. */
export const defaultEndpoint = '/v1/chat/completions' satisfies LineEndpoint;

/** A file of requests may have no more lines, blank ones included. @see https://platform.openai.com/docs/guides/batch */
export const maxLines = 50_000;

/** The file of a batch's requests may be no larger. */
export const maxBatchBytes = 200 * 1024 * 1024;

/** A line's entry in the file of results. */
export interface LineOutput {
  id: string;
  custom_id: string | null;
  response: { status_code: number; request_id: string; body: unknown } | null;
  error: { code: string; message: string } | null;
}

/** One line's result in the OpenAI batch format; `cost` in nano-dollars. */
export interface LineStep {
  output: LineOutput;
  failed: boolean;
  usage: TokenCounts;
  cost: number;
  /** Whether its job was stopped before it was asked. */
  unasked?: true;
}

/** Names sort as lines do, up to 999,999: far beyond the lines that a file may have. */
export const lineName = (line: number) => `line_${String(line).padStart(6, '0')}`;

/** Sorts after the name of every line. */
export const lastLineName = 'line_~';

/** The number of the line that a name stands for. */
export const numberOf = (name: string) => Number(name.slice('line_'.length));

/** A job about a file of requests. */
export interface RequestsJob extends SourceJob {
  /** The route that all lines ask, where the job says so: then each line has to name it. */
  endpoint?: LineEndpoint;
}

/** One line of a file of requests. */
export interface FileLine {
  job: Sourced<RequestsJob>;
  /** Undefined if it is longer than a line may be. */
  line: string | undefined;
  number: number;
  /** The models that the key may use; null is any. */
  models: readonly string[] | null;
}

/** How many bytes a line takes. */
export const bytesOf = ({ line }: FileLine) => Buffer.byteLength(line ?? '');
