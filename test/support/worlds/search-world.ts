import * as v from 'valibot';
import { expect } from 'vitest';
import type { ChatEvent } from '../../../shared/chat/chat-event.ts';
import { streamChat } from '../../../shared/chat/stream/stream-chat.ts';
import { ChatStreamRequest } from '../../../shared/chat/stream-request.ts';
import type { DocumentHit } from '../../../shared/connectors/drive-documents.ts';
import { defaultLimits, type KeyLimits } from '../../../shared/keys/key-limits.ts';
import { type Account, findAccount } from '../../../shared/ledger/account/account.ts';
import { openAccount } from '../../../shared/ledger/read-account.ts';
import type { Charge } from '../../../shared/ledger/terms/charge.ts';
import { toUsd } from '../../../shared/ledger/terms/nano-usd.ts';
import type { PageReading } from '../../../shared/pages/page.ts';
import { endedCharges } from '../servers/chat-stage.ts';
import { eventsOf } from '../servers/event-reader.ts';
import { type JsonAnswer, useJsonServer } from '../servers/json-server.ts';
import { type Behaviour, type ModelRequest, useModelStub } from '../servers/model-stub.ts';
import { streamOf } from '../servers/model-stub-pieces.ts';
import { anyRoom } from '../servers/rooms.ts';
import { useStore } from './store.ts';

/** A page as the search finds it and as it reads. */
export interface TestPage {
  url: string;
  title?: string;
  snippet?: string;
  /** Passages, as Brave extracts them. */
  passages?: string[];
  reading?: PageReading;
}

/** A document in the caller's Drive. */
export type TestDocument = DocumentHit & ({ text: string } | { skipped: string });

/** What the model writes, by the name of what it is asked for. */
export interface TestModel {
  queries?: unknown;
  plan?: unknown;
  notes?: (material: string) => unknown;
  gaps?: (n: number) => unknown;
  check?: (material: string) => unknown;
  /** The text of an answer or a report, as the pieces it comes in. */
  writes?: string[];
  /** What happens instead of an answer to a call, named as above or `answer`, the nth of its name from 1. */
  fails?: (name: string, n: number) => Behaviour | undefined;
}

export interface TestWeb {
  /** The pages that a query finds. */
  finds: (query: string) => TestPage[];
  /** What happens instead of the nth search, from 1. */
  fails?: (n: number) => JsonAnswer | 'cut';
  documents?: TestDocument[];
  driveFails?: boolean;
  readerFails?: boolean;
}

/** What came of a message. */
export interface Answered {
  events: ChatEvent[];
  account: Account;
  charges: Charge[];
  modelRequests: ModelRequest[];
  queries: string[];
}

export type SearchWorld = Awaited<ReturnType<typeof useSearchWorld>>;

/**
 * Gives a test file all that a searched chat speaks to, but for the readers of pages and documents and the Drive search:
 * a store, a model, a search provider, and a Lambda that returns what those would.
 */
export async function useSearchWorld() {
  let model: TestModel = {};
  let web: TestWeb = { finds: () => [] };
  let calls = new Map<string, number>();
  const queries: string[] = [];

  const stub = await useModelStub();
  stub.respond((body) => {
    const name = nameOf(body);
    const n = (calls.get(name) ?? 0) + 1;
    calls.set(name, n);
    return model.fails?.(name, n) ?? behaviourFor(model, name, n, materialOf(body));
  });
  const provider = await useJsonServer(({ url = '' }) => {
    queries.push(new URL(url, 'http://provider').searchParams.get('q') ?? '');
    const failure = web.fails?.(queries.length);
    if (failure) return failure === 'cut' ? undefined : failure;
    const generic = web
      .finds(queries.at(-1) ?? '')
      .map(({ url, title, snippet, passages }) => ({
        url,
        title: title ?? '',
        snippets: passages ?? (snippet ? [snippet] : []),
      }));
    return { body: { grounding: { generic } } };
  });
  const lambda = await useJsonServer(({ url = '' }, body) => invoked(web, url, body));
  await useStore({ modelUrl: stub.url });
  Object.assign(process.env, {
    AWS_ENDPOINT_URL_LAMBDA: lambda.url,
    READ_DOCUMENT_FUNCTION: 'read-document',
    READ_PAGE_FUNCTION: 'read-page',
    SEARCH_DRIVE_FUNCTION: 'search-drive',
    SEARCH_PROVIDER: 'brave',
    SEARCH_URL: provider.url,
    RESEARCH_MAX_USD: '0.5',
  });
  let keys = 0;

  return {
    /** Says what the next messages meet. */
    set(nextModel: TestModel, nextWeb: TestWeb): void {
      model = nextModel;
      web = nextWeb;
    },

    /** Sends a message as a key of its own, and reads the answer up to an event, or to its end. */
    async ask(
      request: object,
      { limits = {}, leaveAfter }: { limits?: Partial<KeyLimits>; leaveAfter?: number } = {},
    ): Promise<Answered> {
      calls = new Map();
      queries.length = 0;
      const requestsBefore = stub.requests.length;
      const keyId = `key_asking_${++keys}`;
      const all = { ...defaultLimits, budget_usd: 10, drive_folders: ['a-folder'], ...limits };
      await openAccount(keyId, new Date().toISOString(), all);
      const { body } = await streamChat(
        v.parse(ChatStreamRequest, request),
        { keyId, limits: JSON.stringify(all) },
        {
          requestId: 'a request',
          timeIsUp: new AbortController().signal,
          note: () => {},
          room: anyRoom(),
        },
      );
      const events = await read(body, leaveAfter);
      const charges = await endedCharges({ keyId });
      const account = await findAccount(keyId);
      if (!account) throw new Error('no account');
      const modelRequests = stub.requests.slice(requestsBefore);
      return { events, account, charges, modelRequests, queries: [...queries] };
    },
  };
}

async function read(
  body: AsyncIterable<Uint8Array | string>,
  leaveAfter = Number.POSITIVE_INFINITY,
): Promise<ChatEvent[]> {
  const reader = body[Symbol.asyncIterator]();
  let text = '';
  for (let n = 0; n < leaveAfter; n++) {
    const next = await reader.next();
    if (next.done) break;
    text += String(next.value);
  }
  await reader.return?.();
  return eventsOf<ChatEvent>(text).filter((one) => one !== '[DONE]');
}

type EventOf<Type extends ChatEvent['type']> = Extract<ChatEvent, { type: Type }>;

export const eventsOfType = <Type extends ChatEvent['type']>(
  { events }: Pick<Answered, 'events'>,
  type: Type,
) => events.filter((event): event is EventOf<Type> => event.type === type);

/** The text that an answer's deltas make. */
export const textOf = (answered: Answered) =>
  eventsOfType(answered, 'delta')
    .map(({ content }) => content)
    .join('');

export const sourcesOf = (answered: Answered) =>
  eventsOfType(answered, 'sources')[0]?.sources ?? [];

/** The stages that an answer told, in order, each change once. */
export const stagesOf = (answered: Answered) =>
  eventsOfType(answered, 'status')
    .map(({ stage }) => stage)
    .filter((stage, index, all) => stage !== all[index - 1]);

/** Expects that nothing is held, and that the caller was told what the ledger says, if anything. */
export function expectAllPaid(answered: Answered): void {
  const { account, charges } = answered;
  const settled = charges.filter(({ status }) => status === 'settled');
  const cost = settled.reduce((total, charge) => total + (charge.cost ?? 0), 0);
  expect(account).toMatchObject({ held: 0, spent: cost });
  const [usage] = eventsOfType(answered, 'usage');
  expect(usage?.cost_usd ?? 0).toBe(toUsd(cost));
}

interface AskedBody {
  response_format?: { json_schema?: { name?: string } };
  messages: { content: unknown }[];
}

const nameOf = (body: object) => (body as AskedBody).response_format?.json_schema?.name ?? 'answer';

/** The text of the last message that a model was sent. */
export const materialOf = (body: object) => String((body as AskedBody).messages.at(-1)?.content);

const usage = { prompt_tokens: 100, completion_tokens: 20 };

function behaviourFor(model: TestModel, name: string, n: number, material: string): Behaviour {
  if (name === 'answer')
    return { kind: 'pieces', pieces: streamOf(model.writes ?? ['An answer.'], [100, 20]) };
  const answers: Record<string, unknown> = {
    queries: { queries: model.queries ?? ['a query'] },
    plan: model.plan,
    notes: { notes: model.notes?.(material) ?? [] },
    gaps: model.gaps?.(n) ?? { done: true, queries: [] },
    check: { unsupported: model.check?.(material) ?? [] },
  };
  return { kind: 'answer', content: JSON.stringify(answers[name]), usage };
}

/** What Lambda's Invoke answers for the readers of pages and documents, and the Drive search. */
function invoked(
  { finds, documents = [], ...web }: TestWeb,
  path: string,
  body: unknown,
): JsonAnswer {
  const failed = {
    headers: { 'x-amz-function-error': 'Unhandled' },
    body: { errorMessage: 'it broke', errorType: 'Error' },
  };
  if (path.includes('/read-document/')) return { body: { text: 'What a document says.' } };
  if (path.includes('/read-page/')) {
    if (web.readerFails) return failed;
    const { url } = body as { url: string };
    const page = finds('').find((each) => each.url === url);
    return { body: page?.reading ?? { unreadable: 'unreachable' } };
  }
  if (web.driveFails) return failed;
  const question = body as { ask: string; folders: string[]; ids?: string[] };
  const mine = question.folders.includes('a-folder') ? documents : [];
  if (question.ask === 'search') {
    return { body: { hits: mine.map(({ id, title, url }) => ({ id, title, url })) } };
  }
  return { body: { documents: mine.filter(({ id }) => question.ids?.includes(id)) } };
}
