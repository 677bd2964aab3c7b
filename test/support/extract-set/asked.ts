import type { ModelRequestBody } from '../servers/model-stub-body.ts';
import type { MarkedValue, MarkRow, SetDocument } from './truth.ts';

type Properties = Record<string, { type?: unknown; properties?: Properties }>;

/** What a request asks for, and what is true of the pages that it shows. */
export interface Asked {
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
  const text = body.messages.map(({ content }) => textOf(content)).join('\n');
  const { schema } = (
    body['response_format'] as { json_schema: { schema: { properties: Properties } } }
  ).json_schema;
  const { properties } = schema;
  const shown = plain(text);
  const pages = pagesIn(text);
  const marksOf = ({ values, rows }: SetDocument) =>
    [...values, ...rows].filter(({ page, quote }) => pages.includes(page) && isShown(shown, quote))
      .length;
  const [document] = documents
    .filter((each) => Object.keys(properties).every((name) => name in propertiesOf(each)))
    .sort((a, b) => marksOf(b) - marksOf(a));
  if (!document) throw new Error('the request is about no document of the set');
  return {
    ...{ properties, pages, isRepair: /missed|missing/.test(text) },
    values: document.values.filter(({ page }) => pages.includes(page)),
    rows: document.rows.filter(({ page, quote }) => pages.includes(page) && isShown(shown, quote)),
  };
}

const textOf = (content: unknown): string =>
  typeof content === 'string'
    ? content
    : (content as { text?: string }[]).map(({ text = '' }) => text).join('\n');

const propertiesOf = ({ schema }: SetDocument) =>
  (schema as { properties: Record<string, object> }).properties;

/** Only the first line of a quote: lines of a row needn't stand one after the other in a text. */
const isShown = (shown: string, quote: string) => shown.includes(plain(quote.split('\n')[0] ?? ''));

const plain = (text: string) => text.replace(/[\s|]+/g, '');

/** The numbers of the pages that a prompt shows. */
const pagesIn = (text: string) =>
  [...text.matchAll(/^.*page.*?(\d+)/gim)].map(([, n]) => Number(n));
