import { answerWith } from '../documents/processes/answer-requests.ts';
import { type Page, type Unreadable, UnreadableError } from './page.ts';
import { pageOf } from './page-text.ts';

/** The content of a page that was fetched. */
export interface FetchedPage {
  url: string;
  bytes: Uint8Array;
  contentType: string;
}

/** What is in it, or why it isn't read. */
export type ParsedPage = Page | { unreadable: Unreadable };

answerWith(async ({ url, bytes, contentType }: FetchedPage): Promise<ParsedPage> => {
  try {
    return await pageOf(new URL(url), bytes, contentType);
  } catch (error) {
    if (error instanceof UnreadableError) return { unreadable: error.reason };
    throw error;
  }
});
