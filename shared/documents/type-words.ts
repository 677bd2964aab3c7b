import { type DocumentKind, formats } from './kind.ts';

const wordsByMainType: Record<string, string> = {
  audio: 'a sound recording',
  font: 'a font',
  image: 'a picture',
  text: 'a text file',
  video: 'a video',
};

/** Returns what people call a file of a media type, with its article. */
export function typeInWords(type: string): string {
  return (
    formats.get(type)?.words ??
    wordsByMainType[type.split('/')[0] ?? ''] ??
    (type === 'application/octet-stream' ? 'of an unknown type' : `a file of type ${type}`)
  );
}

/** Returns what people call a file of a kind, with its article. */
export const kindInWords = (kind: DocumentKind) =>
  typeInWords([...formats].find(([, format]) => format.kind === kind)?.[0] ?? '');
