import type { JobResult } from '../../../shared/jobs/results/result.ts';
import { count, counted } from '../parts/format.ts';

/** A part of a job's result that is read as text. */
export interface ResultPart {
  title: string;
  /** Null where the text is too long to be sent in the record. */
  text: string | null;
  format: 'markdown' | 'jsonl';
  /** A link to the text, good for an hour. */
  url?: string;
}

/** Returns the texts that a job came to. */
export function partsOf(result: JobResult): ResultPart[] {
  switch (result.type) {
    case 'chat':
      return [{ title: 'Answer', text: result.content, format: 'markdown' }];
    case 'chat_batch':
      // A batch's results are files.
      if (result.token_details) return [];
      return [{ title: 'Results', text: result.content, format: 'jsonl', ...linkIn(result) }];
    case 'ocr':
      return [{ title: 'Text', text: result.text, format: 'markdown', ...linkIn(result) }];
    case 'pipeline':
      return [
        ...(result.chat
          ? [{ title: 'Answer', text: result.chat.content, format: 'markdown' as const }]
          : []),
        {
          title: 'Text of the document',
          text: result.ocr.text,
          format: 'markdown',
          ...linkIn(result.ocr),
        },
      ];
    // Its values are shown beside the document's pages.
    case 'extract':
    case 'folder':
      return [];
  }
}

const linkIn = ({ url }: { url?: string }) => (url ? { url } : {});

/** Returns what a job used, in words. */
export function factsOf(result: JobResult): string[] {
  switch (result.type) {
    case 'chat':
      return [
        counted(result.usage.total_tokens, 'token'),
        ...(result.finish_reason === 'length' ? ['cut off at its limit'] : []),
      ];
    case 'chat_batch':
      return [`${result.lines.completed} of ${result.lines.total} lines`];
    case 'ocr':
      return [
        counted(result.page_count, 'page'),
        `${count(result.images_used)} by OCR`,
        ...doubtsOf(result),
      ];
    case 'pipeline':
      return [...factsOf(result.ocr), ...(result.chat ? factsOf(result.chat) : [])];
    case 'extract':
      return [
        ...(result.ocr ? [counted(result.ocr.page_count, 'page')] : []),
        counted(result.usage.total_tokens, 'token'),
      ];
    case 'folder':
      return [];
  }
}

/** Yields the reasons to look at what was read. */
function* doubtsOf({ failed_pages, low_confidence_pages }: Extract<JobResult, { type: 'ocr' }>) {
  if (failed_pages?.length) yield `pages not read: ${failed_pages.join(', ')}`;
  if (low_confidence_pages?.length) yield `hard to read: ${low_confidence_pages.join(', ')}`;
}
