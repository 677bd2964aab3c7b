/**
 * The largest event that Lambda takes.
 * @see https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html
 */
export const maxPayloadBytes = 6 * 1024 * 1024;

/** An invocation that ended in an error, as Lambda reports it. */
export class InvocationError extends Error {
  readonly errorType: string;

  constructor(errorType: string, message: string) {
    super(message);
    this.errorType = errorType;
  }
}

/** Where a streamed response goes: first its head, then its chunks, each sent when the one before was taken. */
export interface ResponseSink {
  head(head: ResponseHead): void;
  write(chunk: Uint8Array): Promise<void>;
}

export interface ResponseHead {
  statusCode: number;
  headers?: Record<string, string>;
}

/** What a function's runtime is sent: an invocation to run, that a chunk of a response was taken, or that it is to end. */
export type SandboxMessage = InvocationMessage | { chunkTakenOf: string } | 'end';

export interface InvocationMessage {
  id: string;
  /** JSON of the event. */
  payload: string;
  /** When the invocation times out, in epoch ms. */
  deadlineMs: number;
}

/** What a function's runtime sends at once. */
export type RuntimeMessage = 'ready' | RuntimeReply[];

/** One of its replies: pieces of a streamed response, then how the invocation ended. */
export type RuntimeReply =
  | { id: string; head: ResponseHead }
  | { id: string; chunk: Uint8Array }
  | InvocationEnd;

/** How an invocation ended: with the JSON of its result, or with an error. */
export type InvocationEnd =
  | { id: string; payload: string }
  | { id: string; errorType: string; errorMessage: string };
