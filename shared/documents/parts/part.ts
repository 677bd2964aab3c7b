import type { SentError } from '../processes/answer-requests.ts';
import type { WarnedText } from '../warnings.ts';

/** A piece of a document that is read by itself. */
export type Part = {
  /** The name of the file that it is within the document, with those that it lies in; '' for the document itself. */
  name: string;
} & (
  | ({ is: 'text' } & WarnedText)
  /** A PDF or an image, in a file of its own. */
  | {
      is: 'pages';
      kind: 'pdf' | 'image';
      path: string;
      /** Whether it is a picture beside text, rather than a file in its own right. */
      isIllustration: boolean;
    }
  | { is: 'unreadable'; error: SentError }
);

/** Whether a document's text is not whole without reading pages. */
export const hasPages = (parts: Part[], forceOcr: boolean) =>
  parts.some((part) => part.is === 'pages' && (forceOcr || !part.isIllustration));

/** Writes a part's name above its text, as a model and a reader of the whole text see it. */
export const underName = (name: string | undefined, text: string) =>
  name ? `--- ${name} ---\n${text}` : text;
