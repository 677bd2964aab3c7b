import fc from 'fast-check';
import OpenAI from 'openai';
import { beforeAll, describe, expect, it } from 'vitest';
import { cases } from '../support/run/cases.ts';
import { shared } from '../support/run/shared.ts';
import { call, chatJob, submit, type Target } from '../support/servers/api.ts';
import { post } from '../support/servers/event-reader.ts';
import { newCaller } from '../support/servers/new-caller.ts';
import {
  isAllowed,
  type OperationRequest,
  plainRequests,
  requestsOf,
  sendRequest,
} from './requests.ts';
import { exampleValues, SchemaValues } from './schema-values.ts';
import { type Answer, ServedDocument } from './served-document.ts';

const stage = await shared('stage');
const served = await ServedDocument.of(stage);
const pool = exampleValues(served);
const page = await (await fetch(`${stage.base_url}/console`)).text();
pool.set('file', page.match(/(?<=console\/)[\w.-]+/g) ?? []);

/** How many requests each route gets; more of them find more. */
const runs = Number(process.env['OPENAPI_RUNS'] ?? cases(6, 100));

let keys: string[];
let caller: Target;
let hurried: Target;

beforeAll(async () => {
  caller = await newCaller(stage, { drive_folders: ['root'] });
  hurried = await newCaller(stage, { requests_per_minute: 1 });
  keys = [caller.api_key, caller.api_key, hurried.api_key];
  pool.set('api_key', keys);
  // One is gone after each deletion.
  const names = Array.from({ length: cases(6, 20) }, (_, n) => `session ${n}`);
  for (const session_id of names) {
    await (await post(caller, '/chat/stream', { message: 'Hi', session_id })).text();
  }
  pool.set('session_id', names).set('user_id', ['anonymous']);
  await newJobs();
});

/** Makes jobs to be asked about. All but two wait, and one is run each minute, so that there are some to cancel or stop. */
async function newJobs(): Promise<void> {
  const jobs = await Promise.all(
    [caller, ...Array(cases(7, 15)).fill(hurried)].map((each) =>
      submit(each, chatJob('a question')),
    ),
  );
  const ids = jobs.map(({ id }) => id);
  // And some to be tried again.
  for (const id of ids.slice(-3)) await call(hurried, 'POST', `/batch/jobs/${id}/stop`);
  const cursors = ids.map((id) => Buffer.from(id).toString('base64url'));
  pool.set('job_id', ids).set('parent_job_id', ids).set('cursor', cursors);
}

/** Makes files and uploads to be asked about: what is asked of them may end them. */
async function newFiles(): Promise<void> {
  const client = new OpenAI({ baseURL: `${caller.base_url}/v1`, apiKey: caller.api_key });
  const file = new File(['some text'], 'a.txt');
  const asked = {
    filename: 'a',
    purpose: 'batch',
    bytes: 1_000_000,
    mime_type: 'text/plain',
  } as const;
  const some = Array.from({ length: cases(4, 12) });
  const files = some.map(() => client.files.create({ file, purpose: 'user_data' }));
  const uploads = some.map(() => client.uploads.create(asked));
  pool.set(
    'file_id',
    (await Promise.all(files)).map(({ id }) => id),
  );
  pool.set(
    'upload_id',
    (await Promise.all(uploads)).map(({ id }) => id),
  );
}

/** Makes batches to be asked about. One waits for the next minute, so that there is one to cancel. */
async function newBatches(): Promise<void> {
  const body = { model: 'gpt-5-mini', messages: [{ role: 'user', content: 'a question' }] };
  const asked = { method: 'POST', url: '/v1/chat/completions', body };
  const lines = ['a', 'b'].map((custom_id) => JSON.stringify({ custom_id, ...asked }));
  const made = [caller, hurried].map(async ({ base_url, api_key }) => {
    const client = new OpenAI({ baseURL: `${base_url}/v1`, apiKey: api_key });
    const file = new File([lines.join('\n')], 'requests.jsonl');
    const { id: input_file_id } = await client.files.create({ file, purpose: 'batch' });
    const endpoint = '/v1/chat/completions';
    return client.batches.create({ input_file_id, endpoint, completion_window: '24h' });
  });
  const batches = await Promise.all(made);
  const ids = batches.map(({ id }) => id);
  pool.set('batch_id', ids).set(
    'input_file_id',
    batches.map(({ input_file_id }) => input_file_id),
  );
}

/**
 * What some answer at best, other than 200: an upload is completed by ids that no document knows, a batch is made of a
 * file that none knows, and the jobs have no documents.
 */
const best: Record<string, string> = {
  submitJob: '202',
  retryJob: '202',
  completeUpload: '400',
  createBatch: '404',
  getJobPage: '404',
};

describe.each(served.operations)('$operationId', (operation) => {
  // What is asked of a job, a file or an upload changes it.
  beforeAll(async () => {
    if (operation.path.startsWith('/batch/jobs/')) await newJobs();
    if (operation.path.startsWith('/v1/batches')) await newBatches();
    if (/^\/v1\/(files|uploads)\//.test(operation.path)) await newFiles();
  });

  it('takes what the document allows, and answers anything as it says', async () => {
    const requests = requestsOf(operation, new SchemaValues(served, pool), keys);
    const examples = plainRequests(operation, pool, keys);
    const statuses: Record<number, number> = {};

    await fc.assert(
      fc.asyncProperty(requests, async (request) => {
        const answer = await sendRequest(stage, operation, request);

        expect(served.errorsOfAnswer(operation, answer), answer.text).toEqual([]);
        expect(answer.status, answer.text).toBeLessThan(500);
        statuses[answer.status] = (statuses[answer.status] ?? 0) + 1;
        if (answer.status === 401) return;
        const allowed = isAllowed(served, operation, request);
        if (!allowed) expect(answer.status).toBeGreaterThanOrEqual(400);
        else expect(brokenRules(answer), answer.text).toEqual([]);
      }),
      {
        examples: examples.map((example): [OperationRequest] => [example]),
        numRuns: examples.length + (operation.method === 'post' ? runs : Math.ceil(runs / 3)),
      },
    );

    expect(Object.keys(statuses)).toContain(best[operation.operationId] ?? '200');
  });
});

/** The rules that a refused request broke, but for those that span fields or that a schema can't tell. */
function brokenRules({ status, text }: Answer): string[] {
  const { detail, error } = JSON.parse(status < 300 ? '{}' : text) as Refusal;
  if (status === 400) {
    const told = error?.message.match(/: (Field|Input|List|String) .*/g) ?? [];
    return told.filter((each) => !each.endsWith('as a unicode string'));
  }
  if (status !== 422 || !detail) return [];
  const types = detail.map(({ type }) => type);
  return types.filter((type) => type !== 'value_error' && type !== 'string_unicode');
}

interface Refusal {
  detail?: { type: string }[];
  error?: { message: string };
}
