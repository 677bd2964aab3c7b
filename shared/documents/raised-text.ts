import { lowered, raised } from './letters.ts';

/** Returns raised (`superscript`) or lowered (`subscript`) text in Unicode's letters, else behind `^` or `_` in numbers. */
export function inPosition(text: string, position = ''): string {
  if (position !== 'superscript' && position !== 'subscript') return text;
  const isRaised = position === 'superscript';
  const letters = [...text].map(isRaised ? raised : lowered);
  if (letters.every((letter) => letter !== undefined)) return letters.join('');
  return /\d/.test(text) ? `${isRaised ? '^' : '_'}(${text})` : text;
}
