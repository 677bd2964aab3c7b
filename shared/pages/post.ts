/** What the function `post-webhook` is asked for: requests to one URL, which an operator chose. */
export interface PostRequest {
  url: string;
  messages: Message[];
}

/** One signed message. */
export interface Message {
  headers: Record<string, string>;
  body: string;
}

/** What came of each message, in the same order: a status, or why there is none. */
export type PostOutcome = { status: number } | { error: string };
