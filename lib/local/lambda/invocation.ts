/** An invocation that ended in an error, as Lambda reports it. */
export class InvocationError extends Error {
  readonly errorType: string;

  constructor(errorType: string, message: string) {
    super(message);
    this.errorType = errorType;
  }
}

/** Where a streamed answer goes: its head, then its chunks, each taken before the next is sent. */
export interface AnswerSink {
  head(head: AnswerHead): void;
  write(chunk: Uint8Array): Promise<void>;
}

export interface AnswerHead {
  statusCode: number;
  headers?: Record<string, string>;
}

/** What a function's thread tells its host: pieces of an answer, then how the invocation ended. */
export type ThreadReply =
  | { id: string; head: AnswerHead }
  | { id: string; chunk: Uint8Array }
  | { id: string; payload: string }
  | { id: string; errorType: string; errorMessage: string };
