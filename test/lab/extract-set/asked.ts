import type { ModelRequestBody } from '../../support/servers/model-stub-body.ts';
import type { MarkedValue, MarkRow, SetDocument } from './truth.ts';

type Properties = Record<string, { type?: unknown; properties?: Properties }>;

/** What a request asks for, and what is true of the pages that it shows. */
export interface Asked {
  document: SetDocument;
  /** Of the schema of the answer. */
  properties: Properties;
  pages: number[];
  /** Whether it asks again, for rows that were missed. */
  isRepair: boolean;
  values: MarkedValue[];
  rows: MarkRow[];
}

/** Finds the document that a request is about, by its schema and what is written on its pages. */
export function readAsked(documents: readonly SetDocument[], body: ModelRequestBody): Asked {
  const text = textOf(body.messages.findLast(({ role }) => role === 'user')?.content);
  const properties = propertiesIn(body);
  const pages = pagesIn(text);
  const document = documentOf(documents, properties, pages);
  const missed = missedIn(text);
  const values = missed ? [] : document.values.filter(({ page }) => pages.has(page));
  const rows = document.rows.filter(
    ({ page, quote, path }) =>
      path.slice(1) in properties && isShown(pages.get(page), quote) && takes(missed, page, quote),
  );
  return {
    ...{ document, properties, pages: [...pages.keys()], isRepair: missed !== undefined },
    ...{ values, rows },
  };
}

/** The document of which the most is on these pages. A pipeline shows its pages without numbers. */
export function documentOf(
  documents: readonly SetDocument[],
  properties: object,
  pages: ReadonlyMap<number, string> | string,
): SetDocument {
  const textOfPage = (page: number) => (typeof pages === 'string' ? pages : pages.get(page));
  const marksOf = ({ values, rows }: SetDocument) =>
    [...values, ...rows].filter(({ page, quote }) => isShown(textOfPage(page), quote)).length;
  const [document] = documents
    .filter((each) => Object.keys(properties).every((name) => name in propertiesOf(each)))
    .map((each) => ({ each, marks: marksOf(each) }))
    .sort((a, b) => b.marks - a.marks);
  if (!document) throw new Error('the request is about no document of the set');
  return document.each;
}

export function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  return ((content ?? []) as { text?: string }[]).map(({ text = '' }) => text).join('\n');
}

function propertiesIn(body: ModelRequestBody): Properties {
  const format = body['response_format'] as { json_schema: { schema: { properties: Properties } } };
  return format.json_schema.schema.properties;
}

const propertiesOf = ({ schema }: SetDocument) =>
  (schema as { properties: Record<string, object> }).properties;

/** The pages that a prompt shows, by their numbers. */
const pagesIn = (text: string) =>
  new Map(
    [...text.matchAll(/<page number="(\d+)">\n(.*?)\n<\/page>/gs)].map(
      ([, page, content = '']) => [Number(page), content] as const,
    ),
  );

/** The lines that a prompt says were missed, each as often as it says so; undefined if it asks for whole pages. */
function missedIn(text: string): Map<string, number> | undefined {
  const [beforePages = ''] = text.split('<page number=');
  const listed = [
    ...[...beforePages.matchAll(/^\{"list":.*\}$/gm)].map(([json]) => JSON.parse(json)),
    ...[...beforePages.matchAll(/^- page (\d+): (.*)$/gm)].map(([, page, line]) => ({
      page,
      line,
    })),
  ];
  if (listed.length === 0) return undefined;
  const missed = new Map<string, number>();
  for (const { page, line } of listed) {
    const key = `${page} ${plain(line)}`;
    missed.set(key, (missed.get(key) ?? 0) + 1);
  }
  return missed;
}

/** Whether a row is one of those that were missed; each is one row alone. */
function takes(missed: Map<string, number> | undefined, page: number, quote: string): boolean {
  if (!missed) return true;
  const key = `${page} ${firstLineOf(quote)}`;
  const left = missed.get(key) ?? 0;
  missed.set(key, left - 1);
  return left > 0;
}

const isShown = (text: string | undefined, quote: string) =>
  text !== undefined && plain(text).includes(firstLineOf(quote));

/** Lines of a row needn't stand one after the other in a page's text. */
const firstLineOf = (quote: string) => plain(quote.split('\n')[0] ?? '');

const plainTexts = new Map<string, string>();

/** A text without spaces and the rules of tables. */
function plain(text: string): string {
  const known = plainTexts.get(text) ?? text.replace(/[\s|]+/g, '');
  if (plainTexts.size > 2_000) plainTexts.clear();
  plainTexts.set(text, known);
  return known;
}
