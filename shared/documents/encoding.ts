/** Bytes beyond this change no guess. */
const sampleBytes = 64_000;
/** A share of double bytes that are everyday characters, above which a text is in that encoding. */
const minCommonShare = 0.7;

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

/** The lead bytes of everyday characters: common Han characters and Hangul, and the kana that Japanese text has. */
const doubleByte = [
  { name: 'shift_jis', common: [0x88, 0x97], kana: [0x82, 0x83], minTrail: 0x40 },
  { name: 'euc-jp', common: [0xb0, 0xcf], kana: [0xa4, 0xa5], minTrail: 0xa1 },
  { name: 'euc-kr', common: [0xb0, 0xc8], minTrail: 0xa1 },
  { name: 'gb18030', common: [0xb0, 0xd7], minTrail: 0xa1 },
  { name: 'big5', common: [0xa4, 0xc6], minTrail: 0x40 },
] satisfies DoubleByte[];
/** Of Japanese characters at least this share are kana, but for Shift JIS, whose bytes nothing else has. */
const minKanaShare = 0.1;

interface DoubleByte {
  name: string;
  common: [first: number, last: number];
  kana?: [first: number, last: number];
  minTrail: number;
}

const singleByte = ['windows-1252', 'windows-1250', 'windows-1251', 'koi8-r', 'windows-1253'];

/** Guesses the encoding of a text that is no UTF-8, by which makes everyday characters, then words, of its bytes. */
export function guessEncoding(bytes: Uint8Array): string {
  const sample = bytes.subarray(0, sampleBytes);
  const double = doubleByte
    .map((each) => ({ name: each.name, share: commonShare(sample, each) }))
    .filter(({ name, share }) => share >= minCommonShare && isWhole(sample, name))
    .toSorted((one, other) => other.share - one.share)[0];
  if (isHebrew(sample)) return 'windows-1255';
  const single = singleByte
    .map((name) => ({ name, faults: faultsOf(new TextDecoder(name).decode(sample)) }))
    .toSorted((one, other) => one.faults - other.faults)[0];
  if (double && (!single || single.faults > 0)) return double.name;
  return single?.name ?? 'windows-1252';
}

function commonShare(bytes: Uint8Array, { name, common, kana, minTrail }: DoubleByte): number {
  let [pairs, everyday, kanas] = [0, 0, 0];
  const isIn = (byte: number, [first, last]: [number, number] = [1, 0]) =>
    byte >= first && byte <= last;
  for (let at = 0; at < bytes.length; at++) {
    const [lead = 0, trail = 0] = [bytes[at], bytes[at + 1]];
    if (lead < 0x80) continue;
    pairs += 1;
    if (trail >= minTrail && isIn(lead, kana)) kanas += 1;
    else if (trail >= minTrail && isIn(lead, common)) everyday += 1;
    at += 1;
  }
  if (pairs === 0 || (name === 'euc-jp' && kanas < minKanaShare * pairs)) return 0;
  return (everyday + kanas) / pairs;
}

/** Whether bytes can be decoded; the sample may end within a character. */
function isWhole(bytes: Uint8Array, encoding: string): boolean {
  return !new TextDecoder(encoding).decode(bytes).slice(0, -1).includes('\ufffd');
}

/** Whether all letters beyond ASCII are Hebrew ones, which have no capitals. */
function isHebrew(bytes: Uint8Array): boolean {
  const high = bytes.filter((byte) => byte >= 0x80);
  return high.length >= 8 && high.every((byte) => byte >= 0xe0 && byte <= 0xfa);
}

/** What no text has: signs and capitals within words, words of accents alone, letters of two alphabets side by side. */
const faults = [
  /\p{Ll}[^\p{L}\p{N}\s\p{P}$+<=>^`|~]|[^\p{L}\p{N}\s\p{P}$+<=>^`|~]\p{L}/gu,
  /\p{Ll}\p{Lu}/gu,
  /[^\P{L}\p{ASCII}\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Hebrew}]{4}/gu,
  /\p{L}[‹›‚„†‡•‰]\p{L}/gu,
  /\p{Script=Latin}[\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Hebrew}]/gu,
  /\p{Lo}\p{Ll}|[\p{Cc}\ufffd](?<![\t\r\n\f\v])/gu,
];

const faultsOf = (text: string) =>
  faults.reduce((sum, fault) => sum + (text.match(fault)?.length ?? 0), 0);
