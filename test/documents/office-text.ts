import { Archive } from '../../shared/documents/office/archive.ts';
import { officeText as textOf } from '../../shared/documents/office/office-text.ts';
import type { OfficeKind } from '../../shared/documents/office-kind.ts';

/** The text of an Office file of these bytes. */
export const officeText = (bytes: Uint8Array, kind: OfficeKind, maxCharacters = 20_000_000) =>
  textOf(new Archive(bytes), kind, maxCharacters);
