import { randomUUID } from 'node:crypto';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { parseTar } from 'nanotar';
import { ServiceError } from '../../http/errors.ts';
import type { ContainedFile } from '../document.ts';
import { readEmail } from '../email.ts';
import { emptyDocument, tooLongDocument, unreadableDocument, unsupportedFile } from '../errors.ts';
import { decodeHtml, htmlText } from '../html-text.ts';
import { type CompositeKind, isComposite, kindOf, mediaTypeOf } from '../kind.ts';
import { Archive, maxTotalBytes, type UnpackedTotal } from '../office/archive.ts';
import { archiveKindOf } from '../office/archive-kind.ts';
import { epubText, openEpub } from '../office/epub.ts';
import { officePictures, pictureSlides } from '../office/office-pictures.ts';
import { officeText } from '../office/office-text.ts';
import type { OfficeKind } from '../office-kind.ts';
import { sent } from '../processes/answer-requests.ts';
import { readRtf } from '../rtf-text.ts';
import { typeBySignature } from '../signatures.ts';
import { decodeText } from '../text.ts';
import { typeInWords } from '../type-words.ts';
import type { Warning } from '../warnings.ts';
import type { Part } from './part.ts';

/** Files of these kinds are read as a whole. */
const maxMb = 50;
const maxParts = 500;
/** How deep a file may lie within others. One there isn't taken apart. */
const maxDepth = 3;
const maxCharacters = 20_000_000;
/** A bullet, a line or an icon has less. */
const minPictureBytes = 1_000;

/** What to take apart, and how. */
export interface ExtractionOptions {
  path: string;
  kind: CompositeKind;
  /** A folder for the files that are found within. */
  folder: string;
  /** Whether pictures are taken out that stand beside text. */
  forceOcr: boolean;
  /** The most characters of a file's text that are wanted, if there is a limit. */
  maxCharacters?: number;
}

/** Takes a document apart, in the process that this is called in. Throws 422 if the document itself can't be read. */
export async function extractParts(options: ExtractionOptions): Promise<Part[]> {
  const { path, kind } = options;
  const { size } = statSync(path);
  if (size === 0) throw emptyDocument('bytes');
  if (size > maxMb * 1024 * 1024) throw unreadableDocument(`it is larger than ${maxMb} MB`);
  const taking = new Extraction(options);
  await taking.takeComposite({ name: '', bytes: readFileSync(path), kind, depth: 0 });
  return taking.parts;
}

interface NestedFile {
  /** '' for the document itself. */
  name: string;
  bytes: Buffer;
  depth: number;
}

class Extraction {
  readonly parts: Part[] = [];
  private readonly options: ExtractionOptions;
  private readonly total = { bytes: 0 };
  /** What the text that is read next warns of. */
  private readonly warned = new Set<Warning>();
  private readonly maxCharacters: number;

  constructor(options: ExtractionOptions) {
    this.options = options;
    this.maxCharacters = options.maxCharacters ?? maxCharacters;
  }

  async takeComposite({ kind, ...file }: NestedFile & { kind: CompositeKind }): Promise<void> {
    const takers: Record<CompositeKind, () => Promise<void> | void> = {
      html: () => this.takeHtml(file),
      rtf: () => this.takeRtf(file),
      email: () => this.takeEmail(file),
      archive: () => this.takeArchive(file),
    };
    return takers[kind]();
  }

  private takeHtml({ name, bytes }: NestedFile): void {
    const html = decodeHtml(bytes, this.warned);
    const urls = [...html.matchAll(/data:image\/[\w.+-]+;base64,([A-Za-z0-9+/=\s]+)/g)];
    const pictures = urls.map((match) => () => Buffer.from(match[1] ?? '', 'base64'));
    this.addText(name, htmlText(html, this.maxCharacters), pictures);
  }

  private takeRtf({ name, bytes }: NestedFile): void {
    const { text, pictures } = readRtf(bytes, this.maxCharacters, this.warned);
    this.addText(name, text, pictures);
  }

  private async takeEmail({ name, bytes, depth }: NestedFile): Promise<void> {
    const { text, pictures, attachments } = await readEmail(bytes, this.warned);
    this.addText(name, text, pictures);
    await this.takeAll(attachments, { name, depth });
  }

  private takeArchive(file: NestedFile): Promise<void> | void {
    const packed = unpacked(file, this.total);
    if (packed) return this.takeAll(packed, file);
    const archive = new Archive(file.bytes, this.total);
    const kind = archiveKindOf(archive);
    if (kind === 'zip') return this.takeFiles(archive, file);
    if (kind === 'epub') return this.takeEpub(archive, file);
    return this.takeOffice(archive, kind, file);
  }

  private takeOffice(archive: Archive, kind: OfficeKind, { name }: NestedFile): void {
    const text = officeText(archive, kind, this.maxCharacters, this.warned);
    // Slides have headings of their own making.
    const isEmpty = text.replaceAll(/^## Slide \d+$/gm, '').trim() === '';
    const whole = isEmpty || this.options.forceOcr ? officePictures(archive) : undefined;
    const slides = whole ?? (kind === 'pptx' ? pictureSlides(archive) : []);
    this.addText(name, isEmpty ? '' : text, picturesIn(archive, slides), slides !== whole);
  }

  private takeEpub(archive: Archive, { name }: NestedFile): void {
    const epub = openEpub(archive);
    const text = epubText(archive, epub, this.maxCharacters, this.warned);
    this.addText(name, text, picturesIn(archive, epub.pictures));
  }

  private async takeFiles(archive: Archive, { name, depth }: NestedFile): Promise<void> {
    const names = archive.names().filter(isOfPeople);
    if (names.length === 0) throw emptyDocument('files');
    const files = names.map((each) => ({
      name: each,
      mimeType: '',
      get bytes() {
        return archive.read(each);
      },
    }));
    await this.takeAll(files, { name, depth });
  }

  private async takeAll(files: ContainedFile[], within: Pick<NestedFile, 'name' | 'depth'>) {
    if (this.parts.length + files.length > maxParts) throw tooMany();
    for (const file of files) {
      const name = posix.join(within.name, printable(file.name));
      try {
        await this.takeFile(file, name, within.depth + 1);
      } catch (error) {
        this.add({ name, is: 'unreadable', error: sent(refusalOf(error)) });
      }
    }
  }

  private async takeFile(file: ContainedFile, name: string, depth: number): Promise<void> {
    const { bytes, mimeType } = file;
    if (bytes.length === 0) throw emptyDocument('bytes');
    const kind = kindOf(bytes, mimeType, file.name);
    if (!kind) throw unsupportedFile('It', typeInWords(mediaTypeOf(bytes, mimeType, file.name)));
    if (kind === 'pdf' || kind === 'image') this.addPages(name, kind, bytes, false);
    else if (!isComposite(kind)) this.add({ name, is: 'text', text: textOf(bytes, this.warned) });
    else if (depth >= maxDepth) throw unreadableDocument('it lies too deep within other files');
    else await this.takeComposite({ name, bytes, kind, depth });
  }

  /** Adds a text; and pictures, if there is no text, if all are asked for, or if they are pages of their own. */
  private addText(name: string, text: string, pictures: (() => Buffer)[], arePages = false): void {
    const isEmpty = text.trim() === '';
    const isWanted = isEmpty || arePages || this.options.forceOcr;
    const images = isWanted ? pictures.flatMap((bytes) => imageIn(bytes) ?? []) : [];
    if (!isEmpty || images.length === 0) this.add({ name, is: 'text', text: text.trim() });
    for (const [index, image] of images.entries()) {
      const picture = posix.join(name, `picture ${index + 1}`);
      this.addPages(picture, 'image', image, !isEmpty);
    }
  }

  private addPages(name: string, kind: 'pdf' | 'image', bytes: Buffer, isIllustration: boolean) {
    const path = join(this.options.folder, randomUUID());
    writeFileSync(path, bytes);
    this.add({ name, is: 'pages', kind, path, isIllustration });
  }

  private add(part: Part): void {
    if (this.parts.length >= maxParts) throw tooMany();
    const warnings = [...this.warned];
    this.warned.clear();
    this.parts.push(part.is === 'text' && warnings.length > 0 ? { ...part, warnings } : part);
  }
}

/** Returns the 422 for an error of reading a file: a parser that breaks does so each time. Throws other errors. */
export function refusalOf(error: unknown): ServiceError {
  if (error instanceof ServiceError) return error;
  if ((error as NodeJS.ErrnoException).syscall) throw error;
  return unreadableDocument('it breaks the reader of its format', error);
}

/** Returns the files that tar or gzip has packed; undefined for a ZIP. What is unpacked counts with all else. */
function unpacked({ name, bytes }: NestedFile, total: UnpackedTotal): ContainedFile[] | undefined {
  const type = typeBySignature(bytes);
  if (type === 'application/gzip') {
    const inner = posix
      .basename(name || 'file')
      .replace(/\.t?gz$/i, (end) => (/t/i.test(end) ? '.tar' : ''));
    return [{ name: inner, mimeType: '', bytes: gunzipped(bytes, total) }];
  }
  if (type !== 'application/x-tar') return undefined;
  // The parser reads from the beginning of the memory that a buffer lies in.
  const files = parseTar(new Uint8Array(bytes).buffer).filter(
    ({ type, name }) => type === 'file' && isOfPeople(name),
  );
  if (files.length === 0) throw emptyDocument('files');
  return files.map(({ name, data }) => ({ name, mimeType: '', bytes: Buffer.from(data ?? []) }));
}

function gunzipped(bytes: Buffer, total: UnpackedTotal): Buffer {
  try {
    const unpacked = gunzipSync(bytes, { maxOutputLength: maxTotalBytes - total.bytes });
    total.bytes += unpacked.length;
    return unpacked;
  } catch (error) {
    const isTooLarge = (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE';
    throw unreadableDocument(
      isTooLarge ? 'it is too large when it is unpacked' : 'it is damaged',
      error,
    );
  }
}

const picturesIn = (archive: Archive, names: string[]) =>
  names.map((name) => () => archive.read(name));

function textOf(bytes: Buffer, warned: Set<Warning>): string {
  const text = decodeText(bytes, undefined, warned).trim();
  if (text.length > maxCharacters) throw tooLongDocument();
  return text;
}

/** Drawings that are no pictures, and those too small to hold words, are left out. So are damaged ones. */
function imageIn(read: () => Buffer): Buffer | undefined {
  try {
    const bytes = read();
    const isImage = kindOf(bytes, '', '') === 'image';
    return isImage && bytes.length >= minPictureBytes ? bytes : undefined;
  } catch (error) {
    if (error instanceof ServiceError) return undefined;
    throw error;
  }
}

/** Whether an entry is a file that a person has put there, and not a folder or a system's own. */
function isOfPeople(name: string): boolean {
  const isHidden = name.split('/').some((each) => each.startsWith('.') || each === '__MACOSX');
  const isOwn = ['Thumbs.db', 'desktop.ini'].includes(posix.basename(name));
  return !name.endsWith('/') && !isHidden && !isOwn;
}

/** Returns a name to show: no line of its own, and no way out of the document. */
const printable = (name: string) =>
  posix.join('/', name.replaceAll(/\p{C}+/gu, ' ').trim()).slice(1) || 'unnamed';

const tooMany = () => unreadableDocument(`it has more than ${maxParts} parts`);
