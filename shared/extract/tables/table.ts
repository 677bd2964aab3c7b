import { csvCell } from '../../csv.ts';
import {
  arraysOf,
  at,
  cellsOf,
  type Path,
  pointerOf,
  scalarsOf,
  type Value,
} from '../asked/field.ts';
import { readSchema } from '../asked/read-schema.ts';
import type { ExtractSpec } from '../asked/spec.ts';
import type { Evidence } from '../outcome.ts';

/** A document whose values are there. */
export interface TableDocument {
  name: string;
  /** Where a page of it is shown. */
  linkOf?: (page: number) => string;
  data: unknown;
  evidence: readonly Evidence[];
}

/** A line of a table as it is written to its files: '' is the documents' own, others are named by their array's pointer. */
export interface TableLine {
  table: string;
  csv: string;
  /** A table's head has none. */
  jsonl: string;
}

/** Writes a table of documents, one row each, and one for each array, a row for each of its rows; each after its head. */
export async function* tableOf(
  spec: ExtractSpec,
  documents: AsyncIterable<TableDocument> | Iterable<TableDocument>,
): AsyncGenerator<TableLine> {
  const root = readSchema(spec.schema);
  const scalars = scalarsOf(root).map(({ path }) => path);
  const arrays = arraysOf(root);
  yield headOf('', scalars);
  for (const { path, field } of arrays) {
    yield headOf(
      pointerOf(path),
      cellsOf(field).map((cell) => cell.path),
    );
  }
  for await (const document of documents) {
    yield lineOf('', document, '', scalars, document.data);
    for (const { path, field } of arrays) {
      const table = pointerOf(path);
      const rows = (at(document.data, path) ?? []) as unknown[];
      const cells = cellsOf(field).map((cell) => cell.path);
      for (const [index, row] of rows.entries()) {
        yield lineOf(table, document, `${table}/${index}`, cells, row);
      }
    }
  }
}

const nameOf = (path: Path) => (path.length === 0 ? 'value' : path.join('.'));

const headOf = (table: string, columns: readonly Path[]): TableLine => ({
  table,
  csv: csvLine(['document', ...columns.map(nameOf), 'pages', 'links', 'not_found']),
  jsonl: '',
});

function lineOf(
  table: string,
  { name, linkOf, evidence }: TableDocument,
  above: string,
  columns: readonly Path[],
  data: unknown,
): TableLine {
  const paths = new Set(columns.map((path) => `${above}${pointerOf(path)}`));
  const proofs = evidence.filter(({ path }) => paths.has(path));
  const pages = [...new Set(proofs.flatMap(({ page }) => page ?? []))].sort((a, b) => a - b);
  const links = linkOf ? pages.map(linkOf) : [];
  const missing = proofs.filter(({ found }) => found === 'not found').map(({ path }) => path);
  const values = columns.map((path) => (at(data, path) ?? null) as Value);
  const csv = csvLine([name, ...values, pages.join(' '), links.join(' '), missing.join(' ')]);
  const whole = {
    document: name,
    ...(table && { row: above }),
    data,
    pages,
    links,
    not_found: missing,
  };
  return { table, csv, jsonl: `${JSON.stringify(whole)}\n` };
}

const csvLine = (values: readonly Value[]): string => `${values.map(cell).join(',')}\r\n`;

const cell = (value: Value): string =>
  typeof value === 'string' ? csvCell(value) : value === null ? '' : `${value}`;
