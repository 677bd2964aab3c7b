import { describe, expect, it } from 'vitest';
import { asTyped } from '../../shared/extract/answers/value.ts';
import type { Value } from '../../shared/extract/asked/field.ts';
import { evidenceOf } from '../../shared/extract/evidence.ts';
import { readPage } from '../../shared/extract/words/read-page.ts';
import { textPage } from './page-of.ts';

/** Looks for a value on a page by a quote that is all of it. */
function found(value: Value, text: string, quote = text) {
  return evidenceOf('/a', { value, quote, page: 1 }, [readPage(textPage(1, text))]);
}
const isFound = (...asked: Parameters<typeof found>) => found(...asked).found !== 'not found';

describe('dates', () => {
  it.each([
    ['2026-03-05', 'on 5 March 2026'],
    ['2026-03-05', 'March 5th, 2026'],
    ['2026-03-05', 'am 5. März 2026'],
    ['2026-03-05', 'le 5 mars 2026'],
    ['2026-08-01', 'le 1er août 2026'],
    ['2026-01-05', '5 de enero de 2026'],
    ['2026-12-24', '24 déc. 2026'],
    ['2026-12-24', '24. Dezember 2026'],
    ['2026-03-05', '05.03.2026'],
    ['2026-03-05', '05/03/26'],
    ['2026-03-05', '03/05/2026'],
    ['2026-03-05', '2026-03-05'],
    ['2026-03-05', 'O5.03.2O26'],
    ['2017-10-20', 'Fatura 20171020'],
    ['2026-03-05', '5 de março de 2026'],
    ['2026-09-07', '7 de setembro de 2026'],
    ['2026-05-03', '3 maja 2026 r.'],
    ['2026-10-15', '15 października 2026'],
    ['2026-05-17', '17. maj 2026'],
    ['2026-08-01', '1 augusti 2026'],
    ['2026-09-01', '1 сентября 2026 г.'],
    ['2026-02-03', '3 Şubat 2026'],
    ['2026-11-15', '15 KASIM 2026'],
    ['2026-06-20', '20 HAZİRAN 2026'],
    ['2026-09-12', '12 set 2026'],
    ['2026-10-05', '05/out/2026'],
    ['2026-06-24', '24. kesäkuuta 2026'],
    ['2026-03-05', 'Datum:05.03.2026'],
    ['2026-03-05', 'Date:March5,2026'],
    ['2026-03-05', 'DUE:20260305'],
  ])('finds %s in “%s”', (date, text) => {
    expect(isFound(date, text)).toBe(true);
  });

  it.each([
    ['2026-03-06', 'on 5 March 2026'],
    ['2026-04-05', 'am 5. März 2026'],
    ['2025-03-05', '05.03.2026'],
    ['2026-03-05', 'March 2026'],
    ['2017-10-20', 'IBAN 120171020'],
    ['2017-10-20', '20171020.55'],
    ['2026-10-05', 'Report 2026: 5 out of 10 hinges failed'],
    ['2026-09-02', 'Report 2026: 2 set aside'],
    ['2026-10-12', 'Report 2026: sold out 12 times'],
  ])('doesn’t find %s in “%s”', (date, text) => {
    expect(isFound(date, text)).toBe(false);
  });

  it('takes the year of a date without one from its line, or from a page that has no other', () => {
    const one = 'Statement 2026\n05.03. Coffee 2000.00';
    const two = `${one}\n31.12.2025 Rent`;

    expect(isFound('2026-03-05', one, '05.03. Coffee')).toBe(true);
    expect(isFound('2025-03-05', one, '05.03. Coffee')).toBe(false);
    expect(isFound('2026-03-05', two, '05.03. Coffee')).toBe(false);
    expect(isFound('2026-03-05', '2026 on 05.03. Coffee\n2025 Tea', '05.03. Coffee')).toBe(true);
    expect(isFound('2026-03-05', '05.03. Coffee 2026\n2025 Tea', '05.03. Coffee')).toBe(true);
    expect(isFound('2025-03-05', '05.03. Coffee 2026\n2025 Tea', '05.03. Coffee')).toBe(false);
    expect(isFound('2026-03-05', `${two}\n5 Mar Tea in 2026`, '5 Mar Tea')).toBe(true);
  });
});

describe('numbers', () => {
  it.each([
    [1234.5, '1,234.50'],
    [1234.5, '1.234,50 €'],
    [1234.5, '1 234,50'],
    [1234.5, '1’234.50'],
    [1234567.89, '12,34,567.89'],
    [1234, '1.234'],
    [0.19, '19 %'],
    [19, '19%'],
    [12, 'No.12'],
    [100, '3 100.00'],
    [3, '3 100.00'],
    [-5.2, '(5.20)'],
    [-5.2, '5.20-'],
    [-5.2, '\u22125.20'],
    [-5.2, '5.20 DR'],
    [-5.2, 'S 5.20'],
    [-5.2, '5,20 EUR Soll'],
    [4, '3 - 4'],
    [1205.1, '12O5.l0'],
    ...[...'Oo'].map((sign): [number, string] => [1200, `12${sign}0`]),
    ...[...'lIi|'].map((sign): [number, string] => [1210, `12${sign}0`]),
    ...[...'Ss'].map((sign): [number, string] => [1250, `12${sign}0`]),
    [1280, '12B0'],
    [1234.5, 'Total:1.234,50'],
    [1234.5, 'Total1.234,50'],
    [12.5, 'TOTAL:USD12.50'],
    [500, 'Rs500'],
    [12.5, '合計12.50'],
    [1250, '1.250,-'],
    [1200000, '$1.2 million'],
    [1.2, '$1.2 million'],
    [3400000, '3,4 Mio.'],
    [27_900_000_000, 'ein Konzernumsatz von 27,9 Mrd. €'],
    [2_000_000_000_000, '2 Billionen Euro'],
    [4_500_000_000, '£4.5bn'],
    [-4_500_000, 'Net loss £(4.5)m'],
    [-4_500_000, 'Net loss ($4.5m)'],
    [4_500_000, 'a loss (£4.5m)'],
    [-2_450_000_000, '-$2.45B'],
    [1_200_000, '1.2 M€'],
    [126_360_000, '126.36M €'],
    [2_500_000, '2,5 millions d’euros'],
    [350_000, 'un chiffre d’affaires de 350 k€'],
    [1_500_000_000, '1,5 mil millones de euros'],
    [15_000, '15 тыс. руб.'],
    [31_500_000_000, '₹3,150 crore'],
    [7_500_000, 'Rs. 75 lakh'],
    [2_500_000_000, 'INR 250 cr'],
    [3_500_000_000_000, '₹3.5 lakh crore'],
    [500_000, '500 bin TL'],
    [4_200_000, '4,2 mil. Kč'],
    [12_000_000, '12 miljoonaa euroa'],
    [150_000, '150k'],
    [3_400_000, 'in Höhe von Mio. € 3,4'],
    [3_400_000, 'EUR Mio. 3,4'],
    [1_578_162_000, 'Umsatzerlöse TEUR 1.578.162'],
    [-120_000, 'T€ -120'],
    [4_500_000, 'MCHF 4.5'],
    [1_578, 'TEUR 1.578'],
  ])('finds %d in “%s”', (number, text) => {
    expect(isFound(number, text)).toBe(true);
  });

  it.each([
    [-5.2, '5.20'],
    [5.2, '5.20-'],
    [-5.2, 'Paid 5.20 for tea'],
    [234.5, '1,234.50'],
    [12026, '1 2026'],
    [20261, '1 2026'],
    [1234, '12,34'],
    [105, 'lOS'],
    [1.23, '1.2.3'],
    [4, 'x4'],
    [1234.5, '12,34.5'],
    [1234.5, '1.234.5'],
    [12345, '12,34.5'],
    [30_000_000, '30 m cable'],
    [12_000_000, '12 mm'],
    [4_000, '4 kWh'],
    [12_000_000, '3 Mio. € 12 Stück'],
    [12_000, 'Satz EUR 12'],
    [12_000_000, 'Mio. 12'],
    [52_000_000, '5.20 CR'],
    [1_200_000, '1.2 millionaires'],
    [-1250, '1.250,-'],
    [20, 'Tel. +31 (0)20 123 4567'],
    [4567, 'Tel. +31 (0)20 123 4567'],
    [-555, 'Call (555) 123-4567'],
    [-20, 'Fax (020) 79460958'],
  ])('doesn’t find %d in “%s”', (number, text) => {
    expect(isFound(number, text)).toBe(false);
  });
});

it('a model’s own 1.2 million is a number', () => {
  const field = { kind: 'scalar', type: 'number', isNullable: true } as const;

  expect(asTyped(field, '$1.1 million', ['a'])).toBe(1_100_000);
  expect(asTyped(field, '30 m', ['a'])).toBe(30);
});

it.each([
  [12345678, '+12 345 678'],
  [-120, 'Loss (120) 300 4500'],
  [120, '+120 2026'],
])('%d in “%s” is no part of a phone number', (number, text) => {
  expect(isFound(number, text)).toBe(true);
});

describe('phone numbers', () => {
  it.each([
    ['exact', '+31 (0)20 123 4567', 'Tel. +31 (0)20 123 4567'],
    ['normalized', '+31201234567', 'Tel. +31 (0)20 123 4567'],
    ['normalized', '020 123 4567', 'Tel. +31 (0)20 123 4567'],
    ['normalized', '+33123456789', '+33 1 23 45 67 89'],
    ['normalized', '01 23 45 67 89', 'Tél.: 01.23.45.67.89'],
    ['normalized', '+15551234567', 'Call 1-555-123-4567'],
    ['normalized', '5551234567', '(555) 123-4567'],
    ['normalized', '+49301234567', '0049 30 / 123 45 67'],
    ['normalized', '0049301234567', '+49 30 1234567'],
    ['not found', '+31201234568', 'Tel. +31 (0)20 123 4567'],
    ['not found', '+3120123456', 'Tel. +31 (0)20 123 4567'],
    ['not found', '123456789', '12345 6789'],
    ['not found', '020 123', 'Tel. 0 20 12 3'],
  ] as const)('%s: %s in “%s”', (how, value, text) => {
    expect(found(value, text).found).toBe(how);
  });

  it('stand in their page’s own words', () => {
    const { quote } = found('+31201234567', 'Tel. +31 (0)20 123 4567 Fax', '+31 (0)20 123 4567');

    expect(quote).toBe('+31 (0)20 123 4567');
  });
});

describe('texts', () => {
  it.each([
    ['exact', 'Coffee Corner', 'at Coffee Corner, Leeds'],
    ['normalized', 'transportation', 'trans-\nportation costs'],
    ['normalized', 'office', 'o\ufb03ce'],
    ['normalized', 'Straße', 'STRASSE 5'],
    ['normalized', '“North-West”', 'North\u2011West'],
    ['normalized', 'GB29 NWBK 6016 1331 9268 19', 'GB29NWBK60161331926819'],
    ['normalized', 'GB29NWBK60161331926819', 'GB29 NWBK 6016 1331 9268 19'],
    ['normalized', 'Coffee Corner Reference 12', '05.01. Coffee Corner 3.20\nReference 12'],
    ['normalized', 'Invoice INV-1050', 'lnvoice INV-1O5O'],
    ['exact', 'INV-12', 'Invoice No.INV-12'],
    ['exact', '2026-0012', 'Rechnungsnr.:2026-0012'],
    ['exact', '12345', 'Kunden-Nr.12345'],
    ['exact', 'INV-12', 'InvoiceNoINV-12'],
    ['exact', 'EUR', '12,50EUR'],
    ['exact', 'kg', '12kg'],
    ['exact', 'Berlin', '10115Berlin'],
    ['normalized', 'Order 12345', 'Order:12345'],
    ['exact', 'M', 'Size M'],
    ['exact', '7', 'Gate 7'],
    ['not found', '2', 'H2O'],
    ['not found', 'H', 'H2O'],
    ['not found', '12', 'INV-1234'],
    ['not found', '12026', '1 2026'],
    ['not found', 'Sole', '5013'],
    ['not found', 'Corner', 'Coffeecorners'],
    ['not found', 'Coffee Leeds', 'Tea\nCoffee Corner Leeds'],
    ['not found', 'Coffee Rent', 'Coffee Corner Rent'],
    ['not found', 'Coffee Tea', 'Coffee Corner 3.20\nReference 12'],
  ] as const)('%s: %s in “%s”', (how, value, text) => {
    expect(found(value, text).found).toBe(how);
  });

  it('says less of itself where OCR has confused signs', () => {
    expect(found('INV-1050', 'INV-1O5O').confidence).toBeLessThan(1);
    expect(found(1050, '1O50').confidence).toBeLessThan(1);
    expect(found(1050, '1050').confidence).toBe(1);
  });
});

describe('booleans', () => {
  it.each([
    [true, 'Smoker: yes'],
    [false, 'Raucher: nein'],
    [true, 'Insured ☒'],
    [false, 'Insured ☐'],
    [true, '☒ Yes ☐ No'],
    [false, '☐ Yes ☒ No'],
    [false, 'Yes [ ] No [x]'],
    [true, 'Oui ✓ Non'],
    [false, 'Insured [ ]'],
    [true, 'Insured [ yes ]'],
  ])('finds %s in “%s”', (value, text) => {
    expect(isFound(value, text)).toBe(true);
    expect(isFound(!value, text)).toBe(false);
  });

  it.each(['Do you smoke?', 'Yes No', '☒ Yes ☒ No', '☐ Yes ☐ No', '☒ ☐ Yes No'])(
    'finds neither in “%s”',
    (text) => {
      expect(isFound(true, text)).toBe(false);
      expect(isFound(false, text)).toBe(false);
    },
  );
});
