import type { Archive } from './archive.ts';
import { slideParts } from './pptx.ts';
import { relationshipsOf } from './relationships.ts';
import { readPart } from './xml.ts';

/** The folders for pictures of all formats. */
const pictureFolder = /^(?:(?:word|ppt|xl)\/media|Pictures)\//;

/** Returns the names of the entries that hold a file's pictures, in the order of their numbers. */
export function officePictures(archive: Archive): string[] {
  const byNumber = new Intl.Collator('en', { numeric: true }).compare;
  return archive
    .names()
    .filter((name) => pictureFolder.test(name) && !name.endsWith('/'))
    .sort(byNumber);
}

/** Returns the pictures of the slides that have nothing else on them: a scan that was put into slides. */
export function pictureSlides(archive: Archive): string[] {
  return slideParts(archive).flatMap((part) =>
    hasText(archive, part)
      ? []
      : relationshipsOf(archive, part)
          .filter((each) => each.type === 'image' && archive.has(each.part))
          .map((each) => each.part),
  );
}

function hasText(archive: Archive, slide: string): boolean {
  let found = false;
  readPart(archive, slide, {
    root: 'sld',
    // Its number and date stand on a slide of any kind.
    skipped: new Set(['fld']),
    text: (text, within) => {
      found ||= within === 't' && text.trim() !== '';
    },
  });
  return found;
}
