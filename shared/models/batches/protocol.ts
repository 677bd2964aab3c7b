import type OpenAI from 'openai';

/** A batch as its upstream says that it stands. */
export interface UpstreamBatch {
  id: string;
  /** Whether nothing more will come of it. */
  isOver: boolean;
  /** Whether it was told to end. */
  isCancelled: boolean;
  completed: number;
  failed: number;
  /** Where its results are, in the protocol's own terms. */
  results: string[];
  /** Why the whole of it failed. */
  error?: { code: string; message: string };
}

/** What an upstream's batch says of one request. */
export interface UpstreamResult {
  customId: string;
  /** The answer, in the dialect in which it was asked. */
  body?: Record<string, unknown>;
  /** Without an answer: why, and whether asking it again would be refused again. */
  error?: { status: number; code: string; message: string; param?: string; isInvalid: boolean };
}

/** A line of results that is none of any request, and why. */
export interface UnreadableResult {
  unreadable: string;
}

/** A batch that is to be made. */
export interface ToMake {
  /** A file of JSON lines on this machine, one for each request. */
  path: string;
  /** What `upload` returned. */
  fileId: string | undefined;
  /** Our own name of it, by which it is found again. */
  tag: string;
  /** The route of all its requests. */
  url: string;
  count: number;
}

/** The protocol of an upstream's batches. Each function throws as the OpenAI client does. */
export interface BatchProtocol {
  /** The most requests of one batch, and the most bytes. */
  most: { requests: number; bytes: number };
  lineOf(customId: string, url: string, body: object): object;
  /** Hands the requests over before the batch is made, where the protocol wants that; it costs nothing. */
  upload(client: OpenAI, path: string, signal: AbortSignal): Promise<string | undefined>;
  make(client: OpenAI, batch: ToMake, signal: AbortSignal): Promise<string>;
  /** Looks for a batch that may have been made: its id; undefined if it wasn't, `unclear` if that shows only later. */
  find(
    client: OpenAI,
    wanted: { tag: string; count: number; sinceMs: number },
    signal: AbortSignal,
  ): Promise<{ id: string } | 'unclear' | undefined>;
  read(client: OpenAI, id: string, signal: AbortSignal): Promise<UpstreamBatch>;
  cancel(client: OpenAI, id: string, signal: AbortSignal): Promise<void>;
  results(
    client: OpenAI,
    batch: UpstreamBatch,
    signal: AbortSignal,
  ): AsyncGenerator<UpstreamResult | UnreadableResult>;
}
