import { expect, it } from 'vitest';
import {
  DocumentProcess,
  ProcessLostError,
} from '../../shared/documents/processes/document-process.ts';
import type {
  DocumentAnswer,
  DocumentRequest,
} from '../../shared/documents/processes/document-requests.ts';
import { openInProcess } from '../../shared/documents/processes/read-in-process.ts';

/** Opens a document of two pages. Its first page loses its process at each try, after a call of `onTry`. */
async function openBreaking(losses: { count: number }, onTry = () => {}) {
  const tries: DocumentRequest[] = [];
  class BreakingProcess extends DocumentProcess<DocumentRequest, DocumentAnswer> {
    override async ask(request: DocumentRequest): Promise<DocumentAnswer> {
      if (request.is === 'open') return { pageCount: 2, hasFiles: false };
      tries.push(request);
      onTry();
      throw new ProcessLostError('crash');
    }
  }
  const process = new BreakingProcess(new URL(import.meta.url), { heapMb: 64 });
  const reader = { process, ms: 1_000 };
  const document = await openInProcess(reader, 'letter.pdf', 'pdf', { turn: 'key', losses });
  return { document, tries };
}

it('a page whose process is lost is tried once more, and counts as one loss of its job', async () => {
  const losses = { count: 0 };
  const { document, tries } = await openBreaking(losses);

  await expect(document.readPage(1)).rejects.toMatchObject({ code: 'unreadable_page' });

  expect(tries).toHaveLength(2);
  expect(losses.count).toBe(1);
});

it('a page is tried no more once its job has lost five', async () => {
  const losses = { count: 0 };
  const { document, tries } = await openBreaking(losses);
  losses.count = 5;

  await expect(document.readPage(1)).rejects.toMatchObject({
    message: expect.stringContaining('5 others took too long, or too much memory'),
  });

  expect(tries).toEqual([]);
});

it('a page is not tried a second time if others of its job were lost meanwhile', async () => {
  const losses = { count: 4 };
  const { document, tries } = await openBreaking(losses, () => {
    losses.count = 5;
  });

  await expect(document.readPage(1)).rejects.toMatchObject({
    message: expect.stringContaining('5 others took too long, or too much memory'),
  });

  expect(tries).toHaveLength(1);
  expect(losses.count).toBe(5);
});
