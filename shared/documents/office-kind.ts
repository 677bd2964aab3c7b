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

/** Returns a file's likely Office format, by its extension, else by its type. Macro and template formats aren't read. */
export function officeKindOf(mimeType: string, filename: string): OfficeKind | undefined {
  const extension = filename.match(/\.([a-z0-9]+)$/i)?.[1]?.toLowerCase();
  const essence = mimeType.split(';')[0]?.trim().toLowerCase();
  return (
    kinds.find((kind) => kind === extension) ?? kinds.find((kind) => officeTypes[kind] === essence)
  );
}
