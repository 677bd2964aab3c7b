import type { Span } from './place.ts';

const written =
  /(?<![\p{L}\d])\+[1-9]\d{0,2}(?:[\s/-]{0,2}\(\d{1,5}\)\s?\d{1,11}|[\s/-]{1,2}\d{1,11}){2,7}(?![\d.,])|(?<!\d)(?:\(\d{3}\)\s?\d{3}-\d{4}|\(0\d{1,4}\)\s?\d{2,8})(?![\d.,])/gu;

/** Puts signs in place of the digits of phone numbers, which are no numbers; `+12 345 678` is one. */
export const withoutPhones = (text: string): string =>
  text.replace(written, (phone) =>
    /^\+\d{1,3}(?: \d{3})+$/.test(phone) || phone.replace(/\D/g, '').length < 7
      ? phone
      : phone.replace(/\d/g, '#'),
  );

const isPhone = /^\(?0|\(|\+|\d{3}-\d{4}$/;

/** Returns where a phone number stands in a text with its digits grouped in any way, with `+`, `00` or `(0)`, or without. */
export function phonesIn(text: string, value: string): Span[] {
  if (!/^[+(\d][\d\s()./-]{6,30}$/.test(value)) return [];
  const digits = value.replace('(0)', '').replace(/\D/g, '').replace(/^00/, '');
  if (digits.length < 7 || digits.length > 15) return [];
  return [...text.matchAll(/[+(]?\d[\d\s()./-]{5,}/g)].flatMap(({ 0: run, index }) => {
    for (const given of [run.replaceAll('(0)', '   '), run]) {
      const signs = [...given.matchAll(/\d/g)];
      const from = signs.join('').indexOf(digits);
      const [start, last] = [signs[from]?.index, signs[from + digits.length - 1]?.index];
      if (start === undefined || last === undefined) continue;
      const isApart =
        /(?<!\d)(?:00)?$/.test(given.slice(0, start)) && !/^\d/.test(run.slice(last + 1));
      if (isApart && [value, run.slice(0, last + 1)].some((each) => isPhone.test(each)))
        return [{ start: index + start, end: index + last + 1 }];
    }
    return [];
  });
}
