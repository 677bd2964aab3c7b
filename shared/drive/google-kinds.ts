import { unsupportedType } from './errors.ts';

/** How a Google document is read: exported, since it has no bytes of its own. */
interface Export {
  mimeType: string;
  extension: string;
}

const googleKind = 'application/vnd.google-apps.';

const exports: Record<string, Export> = {
  [`${googleKind}document`]: { mimeType: 'text/markdown', extension: '.md' },
  [`${googleKind}spreadsheet`]: { mimeType: 'text/csv', extension: '.csv' },
  [`${googleKind}presentation`]: { mimeType: 'text/plain', extension: '.txt' },
};

/** What a file is exported as; undefined if it is downloaded as it is. Throws for forms, sites, drawings. */
export function exportOf(mimeType: string): Export | undefined {
  if (!mimeType.startsWith(googleKind)) return undefined;
  const known = exports[mimeType];
  if (!known) throw unsupportedType(mimeType);
  return known;
}
