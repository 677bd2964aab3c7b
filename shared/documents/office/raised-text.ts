import { lowered, raised } from '../letters.ts';

/**
 * Returns text that is raised (`superscript`) or lowered (`subscript`): by Unicode's own letters, else behind `^` or `_`
 * if it may be part of a number.
 */
export function inPosition(text: string, position = ''): string {
  if (position !== 'superscript' && position !== 'subscript') return text;
  const isRaised = position === 'superscript';
  const letters = [...text].map(isRaised ? raised : lowered);
  if (letters.every((letter) => letter !== undefined)) return letters.join('');
  return /\d/.test(text) ? `${isRaised ? '^' : '_'}(${text})` : text;
}
