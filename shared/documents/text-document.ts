import type { Document } from './document.ts';

/** A text as a document of one page. */
export const textDocument = (text: string): Document => ({
  pageCount: 1,
  readPage: async () => ({ textLayer: text }),
  close: () => {},
});
