import { askDrive } from '../../connectors/ask-drive.ts';
import { errorFields, log } from '../../log.ts';
import type { Unreadable } from '../../pages/page.ts';
import { requestPage } from '../../pages/request-page.ts';
import type { Turn } from '../turn.ts';
import type { Found } from './found.ts';

/** What a source says, or why it could not be read, in words for the caller. */
export type Reading = { found: Found } & ({ text: string } | { skipped: string });

const reasons: Record<Unreadable, string> = {
  forbidden_address: 'its address is not of the public web',
  refused_by_robots: 'its robots.txt refuses',
  unreachable: 'it could not be reached',
  timeout: 'it did not answer in time',
  too_large: 'it is too large',
  unsupported_type: 'it is no text',
  broken: 'it could not be read',
};

/** Reads a page of the web, or takes the passages that the search brought. Never throws for a page. */
export async function readPage({ signal }: Turn, found: Found): Promise<Reading> {
  if (found.passages.length > 0) return { found, text: found.passages.join('\n\n') };
  const page = await requestPage(found.url, signal);
  return 'text' in page ? { found, text: page.text } : { found, skipped: reasons[page.unreadable] };
}

/** Reads documents of the caller's Drive folders. One that the key may not read is left out. Never throws. */
export async function readDocuments(
  { caller, signal }: Turn,
  folders: string[],
  documents: Found[],
): Promise<Reading[]> {
  if (documents.length === 0) return [];
  const ids = documents.flatMap(({ documentId }) => documentId ?? []);
  try {
    const question = { ask: 'fetch' as const, keyId: caller.keyId, folders, ids };
    const fetched = (await askDrive(question, signal)).documents;
    return documents.flatMap((found) => {
      const document = fetched.find(({ id }) => id === found.documentId);
      if (!document) return [];
      return 'text' in document
        ? { found, text: document.text }
        : { found, skipped: document.skipped };
    });
  } catch (error) {
    log('warn', 'drive reader failed', errorFields(error));
    return documents.map((found) => ({ found, skipped: reasons.broken }));
  }
}
