/** A rectangle of a page as it is shown, in per mille of its width and height: left, top, right, bottom. */
export type PageBox = readonly [number, number, number, number];

/** A value, where it stands and the line that it stands in. */
export interface MarkedValue {
  path: string;
  page: number;
  box: PageBox;
  quote: string;
  value: unknown;
}

/** A row of a table: its quote is its line or lines. */
export interface MarkRow {
  /** The array's JSON pointer. */
  path: string;
  page: number;
  box: PageBox;
  quote: string;
  cells: Record<string, { value: unknown; box: PageBox }>;
}

/** A document of the set, and all that is true of it. */
export interface SetDocument {
  file: string;
  bytes: Uint8Array;
  pages: number;
  /** What is wrong with pages that have nothing to be found. */
  emptyPages?: number[];
  failedPages?: number[];
  schema: object;
  values: readonly MarkedValue[];
  rows: readonly MarkRow[];
}

/** The object that the document's schema is filled with. */
export function expectedOf({ schema, values, rows }: SetDocument): Record<string, unknown> {
  const expected: Record<string, unknown> = {};
  const { properties = {} } = schema as { properties?: Record<string, { type?: unknown }> };
  for (const [name, { type }] of Object.entries(properties)) {
    expected[name] = type === 'array' ? [] : type === 'object' ? {} : null;
  }
  for (const { path, value } of values) put(expected, path, value);
  for (const { path, cells } of rows) {
    const row = Object.fromEntries(Object.entries(cells).map(([name, cell]) => [name, cell.value]));
    (expected[path.slice(1)] as unknown[]).push(withAllFields(row, schema, path));
  }
  return expected;
}

/** Fields that a row has no cell for are null. */
function withAllFields(row: Record<string, unknown>, schema: object, path: string) {
  const { properties } = schema as {
    properties: Record<string, { items: { properties: object } }>;
  };
  const names = Object.keys(properties[path.slice(1)]?.items.properties ?? {});
  return Object.fromEntries(names.map((name) => [name, row[name] ?? null]));
}

function put(target: Record<string, unknown>, pointer: string, value: unknown): void {
  const [name = '', ...rest] = pointer.slice(1).split('/');
  if (rest.length === 0) target[name] = value;
  else put(target[name] as Record<string, unknown>, `/${rest.join('/')}`, value);
}

/** Where each value and row stands, by JSON pointers into the expected object. */
export function evidenceOf({ values, rows }: SetDocument) {
  const evidence: Record<string, { page: number; box: PageBox }> = {};
  for (const { path, page, box } of values) evidence[path] = { page, box };
  const counts = new Map<string, number>();
  for (const { path, page, box, cells } of rows) {
    const index = counts.get(path) ?? 0;
    counts.set(path, index + 1);
    evidence[`${path}/${index}`] = { page, box };
    for (const [name, cell] of Object.entries(cells)) {
      evidence[`${path}/${index}/${name}`] = { page, box: cell.box };
    }
  }
  return evidence;
}
