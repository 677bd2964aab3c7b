import type { Document } from './document.ts';
import type { WarnedText } from './warnings.ts';

/** A text as a document of one page. */
export const textDocument = ({ text, warnings }: WarnedText): Document => ({
  pageCount: 1,
  readPage: async () => ({ textLayer: text, ...(warnings?.length ? { warnings } : {}) }),
  close: () => {},
});
