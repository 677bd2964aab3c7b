const names = (list: string) => new Set(list.split(' '));

/** Elements whose content is no text of the page, or isn't shown. */
export const droppedElements = names(
  'audio canvas datalist dialog iframe noscript object script select style svg template textarea video xmp',
);

/** Elements that matter neither for the text nor for its order. */
export const ignoredElements = names(
  'area base body col embed head html img input link param source track wbr',
);

/** Elements without an end tag, of those that are neither dropped nor ignored. */
export const emptyElements = names('br hr meta');

/** Elements that stand on lines of their own. */
export const blockElements = names(
  'address article aside blockquote body caption center dd details div dl dt fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 header hr legend li main menu nav ol optgroup option p pre search section summary table tbody td tfoot th thead tr ul',
);

/** A table with one of these in it is there for the layout of a page. */
export const layoutElements = names(
  'article blockquote dl h1 h2 h3 h4 h5 h6 ol pre section table ul',
);

/** What tells Readability what an element is for. */
export const keptAttributes = names(
  'aria-hidden aria-modal class colspan content href id itemprop name property rel role rowspan summary',
);

const paragraph = names('p');
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
]);

/** Returns the elements that need no end tag if this one begins right in them; undefined if it ends none. */
export function endedBy(name: string): Set<string> | undefined {
  return endedByStart.get(name) ?? (blockElements.has(name) ? paragraph : undefined);
}
