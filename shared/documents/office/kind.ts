/** An Office format: Office Open XML (ISO 29500) or OpenDocument (ISO 26300). */
export type OfficeKind = 'docx' | 'pptx' | 'xlsx' | 'odt' | 'odp' | 'ods';

const openXml = 'application/vnd.openxmlformats-officedocument';
const openDocument = 'application/vnd.oasis.opendocument';

export const officeTypes: Record<OfficeKind, string> = {
  docx: `${openXml}.wordprocessingml.document`,
  pptx: `${openXml}.presentationml.presentation`,
  xlsx: `${openXml}.spreadsheetml.sheet`,
  odt: `${openDocument}.text`,
  odp: `${openDocument}.presentation`,
  ods: `${openDocument}.spreadsheet`,
};
const kinds = Object.keys(officeTypes) as OfficeKind[];

/**
 * Returns the Office format that a file seems to have, before it is opened. The extension of its name counts
 * more than its declared type. Undefined if it seems to have none: macro and template formats aren't read.
 */
export function officeKindOf(mimeType: string, filename: string): OfficeKind | undefined {
  const extension = filename.match(/\.([a-z0-9]+)$/i)?.[1]?.toLowerCase();
  const essence = mimeType.split(';')[0]?.trim().toLowerCase();
  return (
    kinds.find((kind) => kind === extension) ?? kinds.find((kind) => officeTypes[kind] === essence)
  );
}
