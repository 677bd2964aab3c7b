import { posix } from 'node:path';
import { decoded } from '../../decoded.ts';
import { encryptedDocument, unreadableDocument } from '../errors.ts';
import { decodeHtml, htmlText } from '../html-text.ts';
import type { Warning } from '../warnings.ts';
import type { Archive } from './archive.ts';
import { attribute, attributesOf, readPart } from './xml.ts';

interface Epub {
  /** The names of the chapters, in reading order. */
  chapters: string[];
  pictures: string[];
}

const maxChapters = 2_000;
/** The media types of chapters, also in older e-books and talking books, and wrong ones that are in use. */
const pageType = /^(application|text)\/.*(html|xml|oeb)/i;

/**
 * Returns an e-book's chapters in reading order, and its pictures. Throws 422 if it is damaged or encrypted.
 * @see https://www.w3.org/TR/epub-33/#sec-package-doc
 */
export function openEpub(archive: Archive): Epub {
  const packageName = packageOf(archive);
  const items = new Map<string, { name: string; type: string }>();
  const spine: string[] = [];
  readPart(archive, packageName, {
    root: 'package',
    open: (element, attributes) => {
      const value = (name: string) => attribute(attributes, name) ?? '';
      if (element === 'item') {
        items.set(value('id'), {
          name: within(packageName, value('href')),
          type: value('media-type'),
        });
      } else if (element === 'itemref') spine.push(value('idref'));
    },
  });
  const chapters = spine.flatMap((id) => {
    const item = items.get(id);
    return item && pageType.test(item.type) && archive.has(item.name) ? item.name : [];
  });
  if (chapters.length > maxChapters) {
    throw unreadableDocument(`it has more than ${maxChapters} chapters`);
  }
  refuseEncrypted(archive, chapters);
  const pictures = [...items.values()]
    .filter(({ name, type }) => type.startsWith('image/') && archive.has(name))
    .map(({ name }) => name);
  return { chapters, pictures };
}

/** Returns the text of an e-book's chapters as Markdown. */
export function epubText(
  archive: Archive,
  { chapters }: Epub,
  maxCharacters: number,
  warned?: Set<Warning>,
): string {
  const texts: string[] = [];
  let room = maxCharacters;
  for (const chapter of chapters) {
    const text = htmlText(decodeHtml(archive.read(chapter), warned), room);
    if (text) texts.push(text);
    room -= text.length;
  }
  return texts.join('\n\n');
}

const packageOf = (archive: Archive): string =>
  attributesOf(archive, 'META-INF/container.xml', 'container', 'rootfile')
    .map((attributes) => attribute(attributes, 'full-path'))
    .find(Boolean) ?? '';

/** Fonts may be garbled in a book that is open to all. */
function refuseEncrypted(archive: Archive, chapters: string[]): void {
  if (!archive.has('META-INF/encryption.xml')) return;
  const encrypted = attributesOf(
    archive,
    'META-INF/encryption.xml',
    'encryption',
    'CipherReference',
  ).map((attributes) => pathOf(attribute(attributes, 'URI') ?? ''));
  if (encrypted.some((name) => chapters.includes(name))) throw encryptedDocument();
}

/** Returns the name of the entry that a reference leads to. */
const within = (from: string, href: string) =>
  posix.resolve(`/${posix.dirname(from)}`, pathOf(href)).slice(1);

const pathOf = (href: string) => decoded(href.split('#')[0] ?? '');
