const names = (list: string) => new Set(list.split(' '));

/** Elements whose content isn't shown. A head is read, as it may lack its end; Office writes an `xml` into one. */
export const unseenElements = names(
  'audio canvas datalist dialog iframe noscript object script select style svg template title video xml',
);

/** Elements that stand on lines of their own. Any other stands within one, as browsers have it. */
export const blockElements = names(
  'address article aside blockquote body caption center dd details dir div dl dt fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 head header hgroup hr html legend li main menu nav ol optgroup option p pre search section summary table tbody td textarea tfoot th thead tr ul xmp',
);

/** Elements that open a list. */
export const listElements = names('dir menu ol ul');

/** The elements that group a table's rows. */
export const rowGroups = names('thead tbody tfoot');

/** What a table has that holds data. */
export const headElements = names('caption thead th');

/** A table without a head that has one of these in it is there for the layout of a page. */
export const layoutElements = names('article blockquote h1 h2 h3 h4 h5 h6 pre section');

export type Attributes = Readonly<Record<string, string>>;

/** Whether an element isn't shown. Scripts show a body that is hidden at first; a reading has parentheses anyway. */
export const isUnseen = (name: string, { hidden, style = '' }: Attributes) =>
  name === 'rp' ||
  unseenElements.has(name) ||
  ((hidden !== undefined || isHiding(style)) && name !== 'body' && name !== 'html');

/** Whether a style keeps an element from being seen. */
export const isHiding = (style: string) =>
  /display\s*:\s*none|visibility\s*:\s*hidden/i.test(style);
