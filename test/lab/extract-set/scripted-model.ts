import { encode } from 'gpt-tokenizer/encoding/o200k_base';
import type { Pieces } from '../../support/servers/model-stub.ts';
import type { ModelRequestBody } from '../../support/servers/model-stub-body.ts';
import { completionOf, streamOf } from '../../support/servers/model-stub-pieces.ts';
import { type Asked, documentOf, readAsked, textOf } from './asked.ts';
import { looseQuote } from './loose-quote.ts';
import { expectedOf, type MarkRow, type SetDocument } from './truth.ts';

/** What a model does that nobody should have to trust. */
export interface Vices {
  /** Gives these fields, by their JSON pointers, values that stand nowhere, each by the quote of the true one. */
  invents?: Record<string, unknown>;
  /** Has invented values stand in quotes that stand nowhere, too. */
  inventsQuotes?: boolean;
  /** Leaves out each nth row of a document, in whichever window it is. */
  skipsEvery?: number;
  /** Leaves them out when it is asked for rows that were missed, too. */
  skipsAgain?: boolean;
  /** Gives each nth row of a window twice. */
  repeatsEvery?: number;
  /** Gives the rows of a window in the reverse order. */
  reverses?: boolean;
  quotesLoosely?: boolean;
  /** Says another page of the window than the true one. */
  misnumbersPages?: boolean;
  /** Ends its answer in the middle where it is asked something for the first time. */
  cutsOff?: boolean;
  wrapsInWords?: boolean;
}

/** What a model says to a request. */
export type AnswerOf = (body: ModelRequestBody) => string;

/** How a model answers that is asked for the values of these documents: by what is true, but for its vices. */
export const scriptedAnswers =
  (documents: readonly SetDocument[], vices: Vices = {}): AnswerOf =>
  (body) => {
    const json = JSON.stringify(
      'response_format' in body
        ? answerTo(readAsked(documents, body), vices)
        : pipelineAnswer(documents, body),
    );
    return vices.wrapsInWords ? inWords(json) : json;
  };

/** The same as an upstream, which counts its tokens. */
export function scriptedModel(documents: readonly SetDocument[], vices: Vices = {}) {
  const answerOf = scriptedAnswers(documents, vices);
  const asked = new Set<string>();
  return (body: ModelRequestBody): Pieces & { pieces: string[] } => {
    const content = answerOf(body);
    const prompt = JSON.stringify(body.messages);
    const isCut = vices.cutsOff === true && !asked.has(prompt);
    asked.add(prompt);
    const usage = [tokensIn(prompt), tokensIn(content)] as const;
    const text = isCut ? content.slice(0, content.length * 0.6) : content;
    const reason = isCut ? 'length' : 'stop';
    const pieces = body.stream ? streamOf([text], usage) : [completionOf(text, usage, reason)];
    return { kind: 'pieces', pieces };
  };
}

const inWords = (json: string) =>
  `Certainly! Here is what I have found {as asked}:\n\n\`\`\`json\n${json}\n\`\`\`\n\nLet me know if anything is missing.`;

const tokensIn = (text: string) => encode(text).length;

/** A pipeline asks for the object alone. */
function pipelineAnswer(documents: readonly SetDocument[], { messages }: ModelRequestBody): object {
  const text = messages.map(({ content }) => textOf(content)).join('\n');
  return expectedOf(documentOf(documents, {}, text));
}

function answerTo(asked: Asked, vices: Vices): Record<string, unknown> {
  const answer = emptyAnswer(asked.properties);
  for (const { path, page, quote, value } of asked.values) {
    const invented = vices.invents?.[path];
    const isInvented = invented !== undefined;
    put(answer, path, {
      value: isInvented ? invented : value,
      quote:
        isInvented && vices.inventsQuotes ? `It is ${invented}.` : told(quote, path.length, vices),
      page: pageTold(page, asked, vices),
    });
  }
  const paths = new Set(asked.rows.map(({ path }) => path));
  for (const path of paths) {
    const rows = asked.rows.filter((row) => row.path === path);
    put(answer, path, rowsTold(rows, asked, vices));
  }
  return answer;
}

/** Nulls for values, and no rows. */
function emptyAnswer(properties: Asked['properties']): Record<string, unknown> {
  const entries = Object.entries(properties).map(([name, { type, properties: below }]) => {
    const isObject = below !== undefined && !('quote' in below);
    if (isObject) return [name, emptyAnswer(below)];
    return [name, type === 'array' ? [] : { value: null, quote: null, page: null }];
  });
  return Object.fromEntries(entries);
}

function rowsTold(rows: readonly MarkRow[], asked: Asked, vices: Vices): object[] {
  const { skipsEvery = 0, skipsAgain = false, repeatsEvery = 0, reverses = false } = vices;
  const isNth = (n: number, every: number) => every > 0 && n % every === every - 1;
  const skips = !asked.isRepair || skipsAgain;
  const all = rows.flatMap((row) => {
    const n = asked.document.rows.indexOf(row);
    const shown = rowTold(row, n, asked, vices);
    if (skips && isNth(n, skipsEvery)) return [];
    return isNth(n, repeatsEvery) ? [shown, shown] : [shown];
  });
  return reverses ? all.reverse() : all;
}

function rowTold({ cells, page, quote }: MarkRow, n: number, asked: Asked, vices: Vices): object {
  const values = Object.entries(cells).map(([name, { value }]) => [name, value]);
  return {
    page: pageTold(page, asked, vices),
    quote: told(quote, n, vices),
    ...Object.fromEntries(values),
  };
}

const told = (quote: string, n: number, { quotesLoosely }: Vices) =>
  quotesLoosely ? looseQuote(quote, n) : quote;

function pageTold(page: number, { pages }: Asked, { misnumbersPages }: Vices): number {
  if (!misnumbersPages) return page;
  return pages[(pages.indexOf(page) + 1) % pages.length] ?? page;
}

function put(target: Record<string, unknown>, pointer: string, value: unknown): void {
  const [name = '', ...rest] = pointer.slice(1).split('/');
  if (rest.length === 0) target[name] = value;
  else put(target[name] as Record<string, unknown>, `/${rest.join('/')}`, value);
}
