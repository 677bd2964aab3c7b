import { blockElements, unseenElements } from '../documents/html-elements.ts';

const names = (list: string) => new Set(list.split(' '));

/** What is left out of a page: in a field stands what a visitor is to write over. */
export const droppedElements = new Set([...unseenElements, 'textarea']);

/** Elements that matter neither for the text nor for its order. */
export const ignoredElements = names(
  'area base body col embed head html img input link param source track wbr',
);

/** Elements without an end tag, of those that are neither dropped nor ignored. */
export const emptyElements = names('br hr meta');

/** What tells Readability what an element is for, and where a cell or an item belongs. */
export const keptAttributes = names(
  'aria-hidden aria-modal class colspan content href id itemprop name property rel role rowspan start summary value',
);

const paragraph = names('p');
const reading = names('rb rp rt');
const endedByStart = new Map([
  ['li', names('li p')],
  ['dt', names('dt dd p')],
  ['dd', names('dt dd p')],
  ['tr', names('tr td th p')],
  ['td', names('td th p')],
  ['th', names('td th p')],
  ['thead', names('caption p')],
  ['tbody', names('thead tbody tr td th p')],
  ['tfoot', names('thead tbody tr td th p')],
  ['rp', reading],
  ['rt', reading],
]);

/** Returns the elements that need no end tag if this one begins right in them; undefined if it ends none. */
export function endedBy(name: string): Set<string> | undefined {
  return endedByStart.get(name) ?? (blockElements.has(name) ? paragraph : undefined);
}
