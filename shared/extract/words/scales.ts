/** Currencies as they stand beside their sums. */
export const money = String.raw`[€$£¥₹]|EUR|USD|GBP|CHF|AUD|CAD|NZD|SEK|NOK|DKK|PLN|CZK|HUF|RON|TRY|TL|RUB|INR|Rs\.?|CNY|JPY|HKD|SGD|ZAR|BRL|kr\.?|zł|Kč|Ft|руб`;

/** Powers of ten, and the words for each. Some have several: a German `Billion` is 10¹², Czech `mil.` are millions. */
const sure =
  byWord(`3 thousand tsd tausend mille millier milliers mil miles mila duizend tys tysiąc tysiące tysięcy tis tisíc
  tisíce tuhat tuhatta tusen tusind bin тыс тысяча тысячи тысяч 5 lakh lakhs lac lacs 6 million millions millionen millioner
  mio mill mln mil millón millones milione milioni milhão milhões milion miliony milionów milionů miljoen miljon miljoner
  miljoona miljoonaa milj milyon млн миллион миллиона миллионов 7 crore crores 9 billion billions milliarde milliarden
  milliard milliards milliarder mrd mia miliardo miliardi miliard miliardy miliardów miliarda mld mdr miljard miljarder
  miljardi miljardia bilhão bilhões milyar млрд миллиард миллиарда миллиардов 12 trillion trillions billion billionen billón
  billones bilion biliony bilionů bln trilhão trilhões trilyon трлн триллион триллиона`);
/** What means something else where no money is: metres, minutes, credit. */
const unsure = byWord('3 k t 5 l 6 m mm mn mi 7 cr 9 b bn bi md mds 12 tn');
const [sureWord, unsureWord] = [sure, unsure].map((words) => [...words.keys()].join('|'));

function byWord(table: string): Map<string, number[]> {
  const found = new Map<string, number[]>();
  let power = 0;
  for (const word of table.split(/\s+/)) {
    if (/^\d/.test(word)) power = Number(word);
    else found.set(word, [...(found.get(word) ?? []), power]);
  }
  return found;
}

/** A second word multiplies the first one: `lakh crore`, `mil millones`. */
const written = new RegExp(
  String.raw`^\)?[-\s]?(?:(${sureWord})(?:\.?\s(${sureWord}))?|(${unsureWord}))\.?(?:\s?(${money}))?(?!\p{L})`,
  'iu',
);

const ahead = new RegExp(
  String.raw`(?<![\p{L}\d]|\d\s)(?:(${sureWord})\.?\s?(?:${money})|(?:${money})\s?(${sureWord})\.?|([TM])(?:€|EUR|CHF))\s?[-−–(]?$`,
  'iu',
);

/** Returns the powers of ten that the words before a number mean, as in `Mio. € 3,4` and `TEUR 120`. */
export function scaleAhead(text: string): number[] {
  const [, one = '', two = '', short] = ahead.exec(text) ?? [];
  if (short) return [short.toUpperCase() === 'T' ? 3 : 6];
  return sure.get((one || two).toLowerCase()) ?? [];
}

/** Returns the powers of ten that the words after a number may mean, and how long these are. */
export function scaleAt(text: string, isMoney: boolean): { powers: number[]; length: number } {
  const [whole = '', one = '', two = '', short = '', currency] = written.exec(text) ?? [];
  const isMeant = isMoney || currency !== undefined || /^[kM](?!\p{L})/u.test(text);
  const first =
    sure.get(one.toLowerCase()) ?? (isMeant ? unsure.get(short.toLowerCase()) : []) ?? [];
  const second = sure.get(two.toLowerCase()) ?? [0];
  const powers = first.flatMap((power) => second.map((more) => power + more));
  return { powers, length: first.length > 0 ? whole.length : 0 };
}
