import { Parser } from 'htmlparser2';
import type { OpenPdf } from './open-pdf.ts';
import type { Pdfium } from './pdfium.ts';
import type { Pointer, Room } from './pdfium-exports.ts';

/** A file that a PDF carries. */
export interface AttachedPdfFile {
  name: string;
  bytes: Uint8Array;
}

const maxFiles = 100;
const maxFileBytes = 50_000_000;
const maxTextBytes = 1_000_000;
const maxNotes = 1_000;

/**
 * The annotations that a person writes words in which are not drawn: a note, marks on text, a stamp, a drawing's comment.
 * @see https://pdfium.googlesource.com/pdfium/+/refs/heads/main/public/fpdf_annot.h
 */
const noteTypes = new Set([1, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]);
/** FPDF_ANNOT_FREETEXT, whose words are drawn if it has an appearance. */
const freeText = 3;
/** The key of an annotation's words. */
const contents = Buffer.from('Contents');
/** FORMTYPE_XFA_FULL: a form that its own program draws anew. */
const dynamicForm = 2;

/** Returns what people have noted on a page, which PDFium has open. */
export function notesOf({ pdfium }: OpenPdf, page: Pointer): string[] {
  const { exports } = pdfium;
  const notes = new Set<string>();
  const key = pdfium.zeroed(contents.length + 1);
  pdfium.bytes(key, contents.length).set(contents);
  const count = Math.min(maxNotes, exports.FPDFPage_GetAnnotCount(page));
  for (let index = 0; index < count; index++) {
    const annotation = exports.FPDFPage_GetAnnot(page, index);
    const type = exports.FPDFAnnot_GetSubtype(annotation);
    const isDrawn = type === freeText && exports.FPDFAnnot_GetAP(annotation, 0, 0, 0) > 2;
    if (noteTypes.has(type) && !isDrawn) {
      const text = wideText(pdfium, (...into) =>
        exports.FPDFAnnot_GetStringValue(annotation, key, ...into),
      );
      if (text.trim()) notes.add(text.replaceAll(/\s+/g, ' ').trim());
    }
    exports.FPDFPage_CloseAnnot(annotation);
  }
  exports.free(key);
  return [...notes];
}

/** Returns what a form holds that only its own program draws, a line for each field; undefined for another PDF. */
export function formLines({ pdfium, document }: OpenPdf): string[] | undefined {
  const { exports } = pdfium;
  if (exports.FPDF_GetFormType(document) !== dynamicForm) return undefined;
  const lines: string[] = [];
  for (let index = 0; index < exports.FPDF_GetXFAPacketCount(document); index++) {
    const name = narrowText(pdfium, (...into) =>
      exports.FPDF_GetXFAPacketName(document, index, ...into),
    );
    if (name !== 'datasets') continue;
    const { scratch } = pdfium;
    const content = narrowText(pdfium, (...into) => {
      exports.FPDF_GetXFAPacketContent(document, index, ...into, scratch);
      return pdfium.integers(1)[0] ?? 0;
    });
    lines.push(...fieldsOf(content));
  }
  return lines;
}

/** Returns the elements of an XFA form's data that hold a value. */
function fieldsOf(xml: string): string[] {
  const lines: string[] = [];
  let [text, isLeaf] = ['', false];
  const parser = new Parser(
    {
      onopentag: () => ([text, isLeaf] = ['', true]),
      ontext: (piece) => {
        text += piece;
      },
      onclosetag: (name) => {
        if (isLeaf && text.trim()) lines.push(`${name.replace(/^.*:/, '')}: ${text.trim()}`);
        [text, isLeaf] = ['', false];
      },
    },
    { xmlMode: true },
  );
  parser.end(xml);
  return lines;
}

/** Yields the files that a PDF carries, each as it is taken out. */
export function* attachedFiles({ pdfium, document }: OpenPdf): Generator<AttachedPdfFile> {
  const { exports, scratch } = pdfium;
  const count = Math.min(maxFiles, exports.FPDFDoc_GetAttachmentCount(document));
  let left = maxFileBytes;
  for (let index = 0; index < count; index++) {
    const file = exports.FPDFDoc_GetAttachment(document, index);
    const name = wideText(pdfium, (...into) => exports.FPDFAttachment_GetName(file, ...into));
    pdfium.write(scratch, 0);
    exports.FPDFAttachment_GetFile(file, 0, 0, scratch);
    const [length = 0] = pdfium.integers(1);
    if (length <= 0 || length > left) continue;
    left -= length;
    const buffer = exports.malloc(length);
    if (!buffer) throw new RangeError('No memory for a file in the document');
    exports.FPDFAttachment_GetFile(file, buffer, length, scratch);
    const bytes = pdfium.bytes(buffer, length).slice();
    exports.free(buffer);
    yield { name: name || `file ${index + 1}`, bytes };
  }
}

/** Writes to a buffer, and returns how many bytes there are, which may be more than the buffer has. */
type Fill = (...into: Room) => number;

function bytesBy(pdfium: Pdfium, fill: Fill): Uint8Array {
  const length = Math.min(maxTextBytes, fill(0, 0));
  if (length <= 0) return new Uint8Array();
  const buffer = pdfium.exports.malloc(length);
  fill(buffer, length);
  const bytes = pdfium.bytes(buffer, length).slice();
  pdfium.exports.free(buffer);
  return bytes;
}

const wideText = (pdfium: Pdfium, fill: Fill) =>
  new TextDecoder('utf-16le').decode(bytesBy(pdfium, fill)).replaceAll('\0', '');
const narrowText = (pdfium: Pdfium, fill: Fill) =>
  new TextDecoder().decode(bytesBy(pdfium, fill)).replaceAll('\0', '');
