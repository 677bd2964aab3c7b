import { describe, expect, it } from 'vitest';
import { createFile } from '../../../../shared/files/create-file.ts';
import type { Caller } from '../../../../shared/http/caller.ts';
import type { Batch } from '../../../../shared/jobs/kinds/batch/batch.ts';
import { cases } from '../../../support/run/cases.ts';
import { batchesIn, requestLine as line } from '../../../support/worlds/batch-world.ts';
import { useFreshHour } from '../../../support/worlds/clock.ts';
import { useDocumentWorld } from '../../../support/worlds/document-world.ts';
import { chargesOf } from '../../../support/worlds/ledger-world.ts';

const world = await useDocumentWorld();
const batches = batchesIn(world);

useFreshHour();

/** Expects that a batch failed before anything was asked or spent. */
async function expectFailed(caller: Caller, batch: Batch): Promise<void> {
  expect(batch).toMatchObject({
    ...{ status: 'failed', failed_at: expect.any(Number), in_progress_at: null },
    ...{ output_file_id: null, error_file_id: null, errors: { object: 'list' } },
  });
  expect(await chargesOf(caller.keyId)).toEqual([]);
}

const embedding = (custom_id: string, input: unknown) =>
  JSON.stringify({
    ...{ custom_id, method: 'POST', url: '/v1/embeddings' },
    body: { model: 'text-embedding-3-small', input },
  });

const ask = (rest: object) => JSON.stringify({ ...JSON.parse(line('id', 'Hi')), ...rest });

/** What is wrong with a line, its code, and the field that is to blame. */
const badLines: [string, string, string, string | null][] = [
  ['no JSON', 'half of {"custom_id"', 'invalid_json_line', null],
  ['no object', '[1, 2]', 'invalid_json_line', null],
  ['a text', '"Hi"', 'invalid_json_line', null],
  ['no custom_id', ask({ custom_id: undefined }), 'missing_required_parameter', 'custom_id'],
  ['an empty custom_id', ask({ custom_id: '' }), 'invalid_value', 'custom_id'],
  ['a custom_id that is no string', ask({ custom_id: 7 }), 'invalid_value', 'custom_id'],
  ['a custom_id of a line before', line('first', 'Hi'), 'duplicate_custom_id', 'custom_id'],
  ['no method', ask({ method: undefined }), 'missing_required_parameter', 'method'],
  ['another method', ask({ method: 'GET' }), 'invalid_method', 'method'],
  ['no url', ask({ url: undefined }), 'missing_required_parameter', 'url'],
  ['a url that isn’t there', ask({ url: '/v1/poems' }), 'url_mismatch', 'url'],
  ['the url of another batch', embedding('other', 'Hi'), 'url_mismatch', 'url'],
  ['no body', ask({ body: undefined }), 'missing_required_parameter', 'body'],
  ['a body that is a text', ask({ body: 'Hi' }), 'invalid_value', 'body'],
  ['a stream', line('s', 'Hi', { stream: true }), 'invalid_value', 'body.stream'],
  ['no model', line('m', 'Hi', { model: undefined }), 'invalid_request_error', 'body.model'],
  ['an unknown model', line('u', 'Hi', { model: 'nobody' }), 'model_not_found', 'body.model'],
  ['a model of others', line('d', 'Hi', { model: 'gpt-4o' }), 'model_not_found', 'body.model'],
  [
    ...['a role that isn’t there', line('r', 'Hi', { messages: [{ role: 'x', content: 'Hi' }] })],
    ...['invalid_request_error', 'body.messages.0.role'],
  ] as [string, string, string, string],
  [
    'a parameter out of range',
    line('t', 'Hi', { temperature: 3 }),
    'invalid_request_error',
    'body.temperature',
  ],
  [
    'a parameter that isn’t available',
    line('k', 'Hi', { store: true }),
    'validation_error',
    'body.store',
  ],
];

describe('a batch fails before anything is spent', () => {
  it.each(badLines)('for a line with %s', async (_, bad, code, param) => {
    const caller = await world.newCaller({ models: ['gpt-4.1-mini', 'text-embedding-3-small'] });

    const batch = await batches.run(caller, [line('first', 'Hi'), '', bad, line('last', 'Hi')]);

    await expectFailed(caller, batch);
    expect(batch.errors?.data).toEqual([{ code, message: expect.any(String), param, line: 3 }]);
  });

  it('for lines of every kind, and names the first fifty', async () => {
    const caller = await world.newCaller({ models: ['gpt-4.1-mini'] });
    const more = Array.from({ length: 60 }, () => 'x');

    const batch = await batches.run(caller, [
      line('first', 'Hi'),
      ...badLines.map(([, bad]) => bad),
      ...more,
    ]);

    await expectFailed(caller, batch);
    const data = batch.errors?.data ?? [];
    expect(data).toHaveLength(50);
    expect(data.slice(0, badLines.length)).toMatchObject(
      badLines.map(([, , code, param], at) => ({ code, param, line: at + 2 })),
    );
    const { error } = await world.read(caller, batches.jobIdOf(batch));
    const total = 1 + badLines.length + more.length;
    expect(error).toMatch(
      new RegExp(`^invalid_lines: ${total - 1} of ${total} lines can't be asked. Line 2: `),
    );
  });

  it('without a word of a line in what it says of it', async () => {
    const caller = await world.newCaller();

    const batch = await batches.run(caller, [
      'SECRET patient',
      ask({ method: 'SECRET' }),
      line('r', 'Hi', { messages: [{ role: 'SECRET', content: 'Hi' }] }),
    ]);

    await expectFailed(caller, batch);
    expect(JSON.stringify(batch)).not.toContain('SECRET');
  });

  it.each([
    ['no lines', ['', '  '], 'empty_file'],
    [
      'more than 50,000 lines',
      [line('a', 'Hi'), ...Array(49_999).fill(''), line('b', 'Hi')],
      'too_many_lines',
    ],
  ])('for a file of %s', async (_, lines, code) => {
    const caller = await world.newCaller();

    const batch = await batches.run(caller, lines);

    await expectFailed(caller, batch);
    expect(batch.errors?.data).toEqual([
      { code, message: expect.any(String), param: null, line: null },
    ]);
  });

  it('for more than 50,000 inputs of embeddings in all', async () => {
    const caller = await world.newCaller();
    const inputs = Array(2_000).fill('a');
    const lines = Array.from({ length: 26 }, (_, at) => embedding(`${at}`, inputs));

    const batch = await batches.run(caller, lines, { endpoint: '/v1/embeddings' });

    await expectFailed(caller, batch);
    expect(batch.errors?.data).toMatchObject([
      { code: 'too_many_inputs', message: expect.stringContaining('52,000') },
    ]);
  });

  it('for a file of more than 200 MB', { tags: 'exhaustive' }, async () => {
    const caller = await world.newCaller();
    const mb = Buffer.alloc(1024 * 1024, ' ');
    const content = async function* () {
      for (let at = 0; at < cases(1, 201); at += 1) yield mb;
    };
    const file = { filename: 'large.jsonl', purpose: 'batch' as const };
    const { entry } = await createFile(caller.keyId, file, content());

    const batch = await batches.run(caller, ['x'], { input_file_id: entry });

    await expectFailed(caller, batch);
    expect(batch.errors?.data).toMatchObject([{ code: 'file_too_large' }]);
  });
});

it('a batch isn’t made of a file that was uploaded for something else', async () => {
  const caller = await world.newCaller();
  const { output_file_id } = await batches.run(caller, [line('a', 'Hi')]);

  await expect(
    batches.create(caller, ['x'], { input_file_id: output_file_id }),
  ).rejects.toMatchObject({
    statusCode: 400,
    code: 'invalid_file_purpose',
    param: 'input_file_id',
  });
});
