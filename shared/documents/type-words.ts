import { type DocumentKind, usualTypeOf } from './kind.ts';
import { officeKindOf } from './office-kind.ts';

/** What people call a file of a type. */
const wordsByType: Record<string, string> = {
  'application/pdf': 'a PDF',
  'application/json': 'a JSON file',
  'application/jsonl': 'a JSON Lines file',
  'application/x-ndjson': 'a JSON Lines file',
  'application/rtf': 'an RTF document',
  'application/zip': 'a ZIP archive',
  'application/gzip': 'a gzip archive',
  'application/x-tar': 'a tar archive',
  'application/vnd.ms-xpsdocument': 'an XPS document',
  'application/oxps': 'an XPS document',
  'application/vnd.apple.pages': 'a document of Pages',
  'application/vnd.apple.numbers': 'a spreadsheet of Numbers',
  'application/vnd.apple.keynote': 'a presentation of Keynote',
  'application/vnd.ms-excel.sheet.binary.macroenabled.12': 'a binary Excel workbook',
  'application/epub+zip': 'an e-book',
  'application/postscript': 'a PostScript file',
  'application/x-ole-storage': 'an Office file of an older format, or one with a password',
  'image/heic': 'a HEIC picture',
  'image/heif': 'a HEIF picture',
  'image/jp2': 'a JPEG 2000 picture',
  'image/x-portable-anymap': 'a Netpbm picture',
  'message/rfc822': 'an email',
  'text/csv': 'a CSV table',
  'text/html': 'a web page',
  'text/markdown': 'a Markdown file',
};

const wordsByOfficeKind = {
  docx: 'a Word document',
  pptx: 'a PowerPoint presentation',
  xlsx: 'an Excel workbook',
  odt: 'an OpenDocument text',
  odp: 'an OpenDocument presentation',
  ods: 'an OpenDocument spreadsheet',
};

const wordsByMainType: Record<string, string> = {
  audio: 'a sound recording',
  font: 'a font',
  image: 'a picture',
  text: 'a text file',
  video: 'a video',
};

/** Returns what people call a file of a media type, with its article. */
export function typeInWords(type: string): string {
  const office = officeKindOf(type, '');
  return (
    (office && wordsByOfficeKind[office]) ??
    wordsByType[type] ??
    wordsByMainType[type.split('/')[0] ?? ''] ??
    (type === 'application/octet-stream' ? 'of an unknown type' : `a file of type ${type}`)
  );
}

/** Returns what people call a file of a kind, with its article. */
export const kindInWords = (kind: DocumentKind) => typeInWords(usualTypeOf(kind));
