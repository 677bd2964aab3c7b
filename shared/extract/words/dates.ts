/** A date in a text: YYYY-MM-DD, or MM-DD without a year, each that it may mean. */
export interface FoundDate {
  dates: string[];
  start: number;
  end: number;
}

const months = [
  'jan january januar jänner janvier enero ene gennaio januari janeiro stycznia styczeń leden ledna tammikuuta января ocak',
  'feb february februar feber février fevrier févr fevr febrero febbraio februari fevereiro fev lutego luty února helmikuuta февраля şubat',
  'mar march märz maerz mär mrz mars marzo maart março marca marzec března maaliskuuta марта mart',
  'apr april avril avr abril abr aprile kwietnia kwiecień dubna huhtikuuta апреля nisan',
  'may mai mayo maggio mei maj maio maja května toukokuuta мая mayıs mayis',
  'jun june juni juin junio giugno junho czerwca czerwiec června kesäkuuta июня haziran',
  'jul july juli juillet juil julio luglio julho lipca lipiec července heinäkuuta июля temmuz',
  'aug august août aout agosto ago augustus augusti sierpnia sierpień srpna elokuuta августа ağustos',
  'sep sept september septembre septiembre settembre setembro set września wrzesień září syyskuuta сентября eylül',
  'oct october oktober okt octobre octubre ottobre outubro out października październik října lokakuuta октября ekim',
  'nov november novembre noviembre novembro listopada listopad listopadu marraskuuta ноября kasım kasim',
  'dec december dezember dez décembre decembre déc diciembre dic dicembre desember dezembro grudnia grudzień prosince joulukuuta декабря aralık aralik',
];
const monthOf = new Map(
  months.flatMap((names, index) => names.split(' ').map((name) => [name, index + 1] as const)),
);

const year = String.raw`\d{4}|['’]?\d{2}`;
// Without a year, `5 out of 10` and `2 set` are English words before they are months.
const shapes: [RegExp, (parts: string[]) => string[]][] = [
  [/(?<!\d)(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})(?!\d)/gu, ([y, m, d]) => dateOf(y, m, d)],
  [/(?<![\d.,-])((?:19|20)\d\d)([01]\d)([0-3]\d)(?![.,-]?\d)/gu, ([y, m, d]) => dateOf(y, m, d)],
  [
    /(?<!\d)(\d{1,2})\s?[./-]\s?(\d{1,2})\s?[./-]\s?(\d{4}|\d{2})(?![\d])/gu,
    ([a, b, y]) => [...dateOf(y, b, a), ...dateOf(y, a, b)],
  ],
  [
    new RegExp(
      `(?<!\\d)(\\d{1,2})(?:st|nd|rd|th|er|º|\\.)?[\\s/-]*(?:(?:of|de|den)(?!\\p{L})[\\s-]*)?(\\p{L}{3,12})\\.?,?[\\s/-]*(?:del?\\s*)?(${year})(?!\\d)`,
      'giu',
    ),
    ([d, name, y]) => dateOf(y, monthNamed(name), d),
  ],
  [
    new RegExp(
      `(?<!\\p{L})(\\p{L}{3,12})\\.?\\s*(\\d{1,2})(?:st|nd|rd|th)?(?:,\\s*|\\s+)(${year})(?!\\d)`,
      'giu',
    ),
    ([name, d, y]) => dateOf(y, monthNamed(name), d),
  ],
  [/(?<![\d.])(\d{1,2})\.(\d{1,2})\.(?!\d)/gu, ([d, m]) => dateOf(undefined, m, d)],
  [
    /(?<![\d./-])(\d{1,2})\/(\d{1,2})(?![\d/]|[.-]\d)/gu,
    ([a, b]) => [...dateOf(undefined, b, a), ...dateOf(undefined, a, b)],
  ],
  [
    /(?<![\d.,])(\d{1,2})(?:st|nd|rd|th|er|º|\.)?[\s-]*(?:(?:de|den)(?!\p{L})[\s-]*)?(?!(?:out|set)(?!\p{L}))(\p{L}{3,12})(?!\p{L})/giu,
    ([d, name]) => dateOf(undefined, monthNamed(name), d),
  ],
  [
    /(?<!\p{L})(?!(?:out|set)(?!\p{L}))(\p{L}{3,12})\.?\s*(\d{1,2})(?:st|nd|rd|th)?(?![\d.,]*\d)/giu,
    ([name, d]) => dateOf(undefined, monthNamed(name), d),
  ],
];

/** Returns the dates that stand in a text. */
export function datesIn(text: string): FoundDate[] {
  return shapes.flatMap(([shape, read]) =>
    [...text.matchAll(shape)].flatMap((match) => {
      const dates = [...new Set(read(match.slice(1)))];
      if (dates.length === 0) return [];
      return [{ dates, start: match.index, end: match.index + match[0].length }];
    }),
  );
}

const monthNamed = (name = '') => {
  const month = monthOf.get(name.toLowerCase().replace('i\u0307', 'i').normalize('NFC'));
  return month === undefined ? undefined : String(month);
};

function dateOf(y: string | undefined, m: string | undefined, d: string | undefined): string[] {
  const [month, day] = [Number(m), Number(d)];
  if (!(month >= 1 && month <= 12 && day >= 1 && day <= 31)) return [];
  const rest = `${String(month).padStart(2, '0')}-${String(day).padStart(2, '0')}`;
  const digits = y?.replace(/\D/g, '');
  if (digits === undefined) return [rest];
  return digits.length === 4
    ? [`${digits}-${rest}`]
    : [`20${digits}-${rest}`, `19${digits}-${rest}`];
}
