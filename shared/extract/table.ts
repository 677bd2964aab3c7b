import { escaped } from './answer.ts';
import type { Evidence } from './evidence.ts';
import { type ExtractSpec, type Field, fieldsOf, type Group, type Scalar } from './schema.ts';

/** A document whose fields were taken, as a table has it. */
export interface TableDocument {
  name: string;
  job_id: string;
  data: unknown;
  evidence: readonly Pick<Evidence, 'path' | 'page'>[];
  /** Returns a link to one of its pages. */
  linkTo: (page: number) => string;
}

/** A table of documents: one row for each, or of a list one for each of its rows. */
export interface Table {
  /** The list's name; '' for the table of documents. */
  name: string;
  head: readonly string[];
  rowsOf: (document: TableDocument) => Cell[][];
}

type Cell = string | number | boolean | null;

/** Returns the tables of a schema: that of its single values first, then one for each list. */
export function tablesOf(spec: ExtractSpec): Table[] {
  const root = fieldsOf(spec.schema);
  const [columns, lists] = [columnsOf(root, ''), listsOf(root, '')];
  const main: Table = {
    name: '',
    head: ['document', 'job_id', ...columns.flatMap(({ title }) => [title, `${title} page`])],
    rowsOf: (document) => [
      [
        ...[document.name, document.job_id],
        ...columns.flatMap(({ pointer }) => cellsAt(document, pointer)),
      ],
    ],
  };
  return [main, ...lists.map(listTable)];
}

interface Column {
  pointer: string;
  title: string;
}

interface ListAt {
  pointer: string;
  title: string;
  item: Scalar | Group;
}

const titleOf = (pointer: string) =>
  pointer.slice(1).replaceAll('/', '.').replaceAll('~1', '/').replaceAll('~0', '~');

function columnsOf(group: Group, path: string): Column[] {
  return fieldsAt(group, path).flatMap(([pointer, field]) => {
    if (field.is === 'group') return columnsOf(field, pointer);
    return field.is === 'scalar' ? [{ pointer, title: titleOf(pointer) }] : [];
  });
}

function listsOf(group: Group, path: string): ListAt[] {
  return fieldsAt(group, path).flatMap(([pointer, field]) => {
    if (field.is === 'group') return listsOf(field, pointer);
    return field.is === 'list' ? [{ pointer, title: titleOf(pointer), item: field.item }] : [];
  });
}

const fieldsAt = ({ fields }: Group, path: string): [pointer: string, field: Field][] =>
  fields.map(([name, field]) => [`${path}/${escaped(name)}`, field]);

function listTable({ pointer, title, item }: ListAt): Table {
  const columns = item.is === 'scalar' ? [{ pointer: '', title: 'value' }] : columnsOf(item, '');
  return {
    name: title,
    head: ['document', 'job_id', 'row', 'page', ...columns.map((column) => column.title)],
    rowsOf: (document) => {
      const rows = valueAt(document.data, pointer);
      if (!Array.isArray(rows)) return [];
      const pages = pagesOfRows(document, pointer);
      return rows.map((row, index) => {
        const page = pages.get(index);
        const link = page === undefined ? null : document.linkTo(page);
        const cells = columns.map((column) => cellOf(valueAt(row, column.pointer)));
        return [document.name, document.job_id, index + 1, link, ...cells];
      });
    },
  };
}

/** Returns the page of each row of a list that has one, by the first of its values that was found. */
function pagesOfRows({ evidence }: TableDocument, pointer: string): Map<number, number> {
  const pages = new Map<number, number>();
  for (const { path, page } of evidence) {
    if (page === null || !path.startsWith(`${pointer}/`)) continue;
    const row = Number.parseInt(path.slice(pointer.length + 1), 10);
    if (!pages.has(row)) pages.set(row, page);
  }
  return pages;
}

/** A value, and a link to the page where it stands. */
const cellsAt = (document: TableDocument, pointer: string): Cell[] => [
  cellOf(valueAt(document.data, pointer)),
  linkOf(document, pointer),
];

function linkOf({ evidence, linkTo }: TableDocument, pointer: string): string | null {
  const found = evidence.find(({ path }) => path === pointer);
  return found?.page ? linkTo(found.page) : null;
}

function cellOf(value: unknown): Cell {
  if (value === undefined || value === null) return null;
  return typeof value === 'number' || typeof value === 'boolean' ? value : String(value);
}

function valueAt(data: unknown, pointer: string): unknown {
  let value = data;
  for (const step of pointer.split('/').slice(1)) {
    const name = step.replaceAll('~1', '/').replaceAll('~0', '~');
    value = typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
  }
  return value;
}

/** Writes a line of CSV. @see https://www.rfc-editor.org/rfc/rfc4180 */
export const csvLine = (cells: readonly Cell[]): string => `${cells.map(csvCell).join(',')}\r\n`;

/**
 * A text, quoted where it must be. Documents choose values: one that a spreadsheet would take for a formula begins with
 * an apostrophe.
 *
 * @see https://owasp.org/www-community/attacks/CSV_Injection
 */
function csvCell(cell: Cell): string {
  if (typeof cell !== 'string') return cell === null ? '' : String(cell);
  const safe = /^[=+\-@\t\r]/.test(cell) ? `'${cell}` : cell;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
