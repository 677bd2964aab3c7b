import type { ChatBatchResult, JobResult, OcrResult } from './result.ts';

/** Above this many bytes a document's text is answered as a link. */
export const inlineTextBytes = 256 * 1024;

/** A result whose text is short enough to be part of it, or the text apart. */
interface Split {
  result: JobResult;
  text?: string;
}

/** Takes a document's text out of its result where it is too long to be answered within it. */
export function withoutLongText(result: JobResult): Split {
  if (result.type === 'pipeline') {
    const { result: ocr, text } = withoutLongText(result.ocr);
    return text === undefined ? { result } : { result: { ...result, ocr: ocr as OcrResult }, text };
  }
  const text = textOf(result);
  if (typeof text !== 'string' || Buffer.byteLength(text) <= inlineTextBytes) return { result };
  return { result: withoutText(result), text };
}

/** What a list shows of a result that is kept elsewhere: all but its text. */
export function summaryOf(result: JobResult): JobResult {
  if (result.type === 'chat') return { ...result, content: null };
  if (result.type === 'pipeline') {
    const chat = result.chat && { ...result.chat, content: null };
    return { ...result, ocr: { ...withoutText(result.ocr), pages: [] } as OcrResult, chat };
  }
  if (result.type === 'folder') return { ...result, failed_files: [] };
  return result.type === 'ocr' ? { ...result, text: null, pages: [] } : withoutText(result);
}

/** Puts a link to its text into a result. */
export function withUrl(result: JobResult, url: string): object {
  return result.type === 'pipeline'
    ? { ...result, ocr: { ...result.ocr, url } }
    : { ...result, url };
}

function textOf(result: JobResult): string | null | undefined {
  if (result.type === 'ocr') return result.text;
  return result.type === 'chat_batch' ? result.content : undefined;
}

function withoutText<Result extends JobResult>(result: Result): Result {
  if (result.type === 'ocr') {
    const pages = result.pages.map((page) => ({ ...page, text: null }));
    return { ...result, text: null, pages };
  }
  return result.type === 'chat_batch'
    ? ({ ...(result as ChatBatchResult), content: null } as Result)
    : result;
}
