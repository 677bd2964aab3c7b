import { analyse } from 'chardet';

/** Bytes beyond this change no guess. */
const sampleBytes = 64_000;

/** What a file's first bytes say of its encoding. */
const byteOrderMarks: readonly (readonly [string, readonly number[]])[] = [
  ['utf-32le', [0xff, 0xfe, 0, 0]],
  ['utf-32be', [0, 0, 0xfe, 0xff]],
  ['utf-16le', [0xff, 0xfe]],
  ['utf-16be', [0xfe, 0xff]],
];

/** Returns the encoding that a text's mark tells, or that the places of its NULs tell; undefined if none do. */
export function wideEncodingOf(bytes: Uint8Array): string | undefined {
  const marked = byteOrderMarks.find(([, mark]) => mark.every((byte, at) => bytes[at] === byte));
  if (marked) return marked[0];
  const sample = bytes.subarray(0, sampleBytes - (sampleBytes % 4));
  const nuls = [0, 0, 0, 0];
  for (let at = 0; at < sample.length; at++) if (sample[at] === 0) (nuls[at % 4] as number) += 1;
  const isNul = nuls
    .map((count) => count > 0.6 * (sample.length / 4))
    .map(Number)
    .join('');
  const byNuls: Record<string, string> = {
    '0111': 'utf-32le',
    '1110': 'utf-32be',
    '0101': 'utf-16le',
    '1010': 'utf-16be',
  };
  return sample.length < 4 ? undefined : byNuls[isNul];
}

/** Decodes UTF-32, which the platform's decoder doesn't know. */
export function decodeUtf32(bytes: Uint8Array, isLittleEndian: boolean): string {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const letters: string[] = [];
  for (let at = 0; at + 4 <= bytes.length; at += 4) {
    const code = view.getUint32(at, isLittleEndian);
    const isNone = code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff);
    if (code !== 0xfeff) letters.push(isNone ? '\ufffd' : String.fromCodePoint(code));
  }
  return letters.join('');
}

/** What chardet calls an encoding by its ISO standard, and the platform by the one that contains it. */
const widerNames: Record<string, string> = {
  'ISO-8859-1': 'windows-1252',
  'ISO-8859-2': 'windows-1250',
  'ISO-8859-7': 'windows-1253',
  'ISO-8859-8': 'windows-1255',
  'ISO-8859-9': 'windows-1254',
};
/** Encodings that are always tried, each with its confidence in percent. */
const common = ['windows-1252', 'windows-1250', 'windows-1251', 'windows-874', 'ibm866'];
const commonConfidence = 10;
/** What a fault in the decoded text takes from a confidence. */
const faultWeight = 10;

/**
 * Encodings of two high bytes a letter, which chardet takes for one another in short texts and in lists of names: their
 * usual letters, and what counts for each in percents of confidence: one of these, the more the fewer there are; one of
 * the rare letters; and its own rarity.
 */
const pairEncodings = [
  { name: 'euc-kr', usual: /^[\xb0-\xc8][\xa1-\xfe]/, each: 19, rare: 40, rarity: 18 },
  { name: 'gb18030', usual: /^[\xb0-\xd7][\xa1-\xfe]/, each: 12, rare: 15, rarity: 0 },
  { name: 'euc-jp', usual: /^[\xa4\xa5\xb0-\xcf][\xa1-\xfe]/, each: 15, rare: 15, rarity: 40 },
];
/** What a letter takes that isn't of two high bytes, which few texts in these encodings have. */
const oddLetterWeight = 60;

/** Guesses the encoding of a text that is no UTF-8, by its letters' frequency, and by what no text has. */
export function guessEncoding(bytes: Uint8Array): string {
  const sample = bytes.subarray(0, sampleBytes);
  const tried = common.map((name) => ({ name, confidence: commonConfidence }));
  tried.push(...weighPairs(Buffer.from(sample).toString('latin1')));
  const confidences = new Map<string, number>();
  for (const { name, confidence } of [...analyse(sample), ...tried]) {
    const wider = widerNames[name] ?? name.toLowerCase();
    confidences.set(wider, Math.max(confidence, confidences.get(wider) ?? 0));
  }
  const scored = [...confidences].flatMap(([name, confidence]) => {
    const text = decodedAs(name, sample);
    return text === undefined ? [] : { name, score: confidence - faultWeight * faultsIn(text) };
  });
  return scored.toSorted((one, other) => other.score - one.score)[0]?.name ?? 'windows-1252';
}

/** Returns how sure a text's letters make of each encoding of two high bytes a letter. */
function weighPairs(text: string): { name: string; confidence: number }[] {
  const letters = text.match(/[\x80-\xff][\x40-\xff]?/g) ?? [];
  const told = letters.filter((letter) => !/^[\xa1-\xa3][\xa1-\xfe]/.test(letter));
  // Words in the capitals of Cyrillic and Greek, or in KOI8's small letters, keep to a quarter of the high bytes.
  if (told.every((letter) => /^[\xc0-\xdf]{2}/.test(letter))) return [];
  const odd = told.filter((letter) => !/^[\xa1-\xfe]{2}/.test(letter)).length;
  return pairEncodings.map(({ name, usual, each, rare, rarity }) => {
    const count = told.filter((letter) => usual.test(letter)).length;
    const taken = (told.length - odd - count) * rare + odd * oddLetterWeight;
    return { name, confidence: count * each - taken - rarity };
  });
}

/** What no text has: signs and capitals within words, words of accents alone, letters of two alphabets side by side. */
const faults = [
  /\p{Ll}[^\p{L}\p{Script=Thai}\p{N}\s\p{P}$+<=>^`|~]|[^\p{L}\p{Script=Thai}\p{N}\s\p{P}$+<=>^`|~]\p{L}/gu,
  /\p{Ll}\p{Lu}/gu,
  /(?:(?!\p{ASCII})\p{Script=Latin}){4}/gu,
  /\p{L}[‹›‚„†‡•‰]\p{L}/gu,
  /\p{Script=Latin}[\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Hebrew}\p{Script=Thai}]/gu,
  /[\p{Script=Hebrew}\p{Script=Thai}]\p{Script=Latin}/gu,
  /[\uff61-\uff9f\p{Script=Hangul}]\p{Script=Han}|\p{Script=Han}\p{Script=Hangul}/gu,
  /\p{Lo}\p{Ll}|[\p{Cc}\ufffd](?<![\t\r\n\f\v])/gu,
];

const faultsIn = (text: string) =>
  faults.reduce((sum, fault) => sum + (text.match(fault)?.length ?? 0), 0);

/** Decodes bytes; undefined for an encoding that the platform doesn't know. */
export function decodedAs(encoding: string, bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder(encoding).decode(bytes);
  } catch {
    return undefined;
  }
}
