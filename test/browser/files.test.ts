import { text } from 'node:stream/consumers';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import type { Batch } from '../../shared/jobs/kinds/batch/batch.ts';
import { call, submit, type Target } from '../support/servers/api.ts';
import { useChatStage } from '../support/servers/chat-stage.ts';
import type { Behaviour } from '../support/servers/model-stub.ts';
import { gate } from '../support/servers/model-stub-pieces.ts';
import { poll } from '../support/servers/poll.ts';
import { goTo, useConsole } from './use-console.ts';

const { newAccount, newModel } = await useChatStage();
const { open } = await useConsole();

const slow = gate();
async function* slowAnswer(): AsyncGenerator<string> {
  await slow.opened;
  yield '{"choices":[{"index":0,"message":{"role":"assistant","content":"late"},"finish_reason":"stop"}],"usage":{"prompt_tokens":3,"completion_tokens":2,"total_tokens":5}}';
}

const model = newModel('plain', ({ messages }): Behaviour => {
  const content = messages[0]?.content;
  if (content === 'refuse') return { kind: 'status', status: 400 };
  if (content === 'slow') return { kind: 'pieces', pieces: slowAnswer() };
  return { kind: 'answer', content: 'Two valves.' };
});

const line = (content: string, rest: object = {}) =>
  JSON.stringify({
    ...{ custom_id: `ask-${content}`, method: 'POST', url: '/v1/chat/completions' },
    body: { model: model.id, messages: [{ role: 'user', content }], ...rest },
  });

/** Puts a file by the API, as another program does. */
async function put(target: Target, name: string, content: string): Promise<string> {
  const form = new FormData();
  form.append('purpose', 'batch');
  form.append('file', new Blob([content]), name);
  const response = await fetch(`${target.base_url}/v1/files`, {
    method: 'POST',
    headers: { authorization: `Bearer ${target.api_key}` },
    body: form,
  });
  return ((await response.json()) as { id: string }).id;
}

const ends = ['completed', 'failed', 'cancelled', 'expired'];

/** Makes a batch of lines. Returns it, and waits for its end if told to. */
async function batchOf(target: Target, lines: string[], toEnd = true): Promise<Batch> {
  const made = { input_file_id: await put(target, 'requests.jsonl', lines.join('\n')) };
  const { body } = await call<Batch>(target, 'POST', '/v1/batches', {
    ...{ ...made, endpoint: '/v1/chat/completions', completion_window: '24h' },
  });
  const read = async () => (await call<Batch>(target, 'GET', `/v1/batches/${body.id}`)).body;
  return toEnd ? poll(read, ({ status }) => ends.includes(status)) : body;
}

const jobPageOf = ({ id }: Batch) => `jobs/${id.replace('batch_', 'job_')}`;

const choose = (page: Page, name: string, content: Buffer | string) =>
  page
    .getByLabel('File', { exact: true })
    .setInputFiles({ name, mimeType: 'application/jsonl', buffer: Buffer.from(content) });

/** What a click on a button saves. */
async function savedBy(page: Page, name: string): Promise<{ name: string; text: string }> {
  const download = page.waitForEvent('download');
  await page.getByRole('button', { name }).click();
  const saved = await download;
  return { name: saved.suggestedFilename(), text: await text(await saved.createReadStream()) };
}

describe('a file', () => {
  it('is uploaded, made a batch of, downloaded, and deleted once one has said so twice', async () => {
    const account = await newAccount();
    const page = await open(account, { at: 'files' });
    await page.getByText('No files yet.').waitFor();

    await page.getByRole('button', { name: 'Upload a file' }).click();
    await choose(page, 'questions.jsonl', line('one'));
    await page.getByLabel('Expires').selectOption('After a day');
    await page.getByRole('button', { name: 'Upload', exact: true }).click();
    await page.getByText('questions.jsonl is uploaded.').waitFor();
    const row = page.getByRole('row', { name: 'questions.jsonl' });
    await row.getByText('batch', { exact: true }).waitFor();
    expect(await savedBy(page, 'Download questions.jsonl')).toEqual({
      name: 'questions.jsonl',
      text: line('one'),
    });

    await row.getByRole('link').click();
    await page
      .getByLabel('Lines that the budget')
      .selectOption({ label: 'They fail, and cheaper ones go on' });
    await page.getByRole('button', { name: 'Submit' }).click();
    await page.locator('h1 .badge', { hasText: 'done' }).waitFor();
    await page.getByText('completed', { exact: true }).waitFor();
    const { body } = await call<{ data: Batch[] }>(account, 'GET', '/v1/batches');
    expect(body.data[0]).toMatchObject({ metadata: { on_budget: 'fail' }, status: 'completed' });

    await goTo(page, `files/${body.data[0]?.input_file_id}`);
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('button', { name: 'Keep' }).click();
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('button', { name: 'Erase for good' }).click();
    await page.getByRole('heading', { name: 'Files' }).waitFor();
    await page.getByRole('row', { name: '_output.jsonl' }).waitFor();
    expect(await page.getByRole('row', { name: 'questions.jsonl' }).count()).toBe(0);
  });

  it('of more than 4 MB is sent in parts, again where an answer was lost, and is whole', async () => {
    const account = await newAccount();
    const page = await open(account, { at: 'files' });
    const content = Buffer.alloc(9 * 2 ** 20, 'Ein Satz über Ventile.\n');
    const sizes: number[] = [];
    await page.route('**/v1/uploads/*/parts', (route) => {
      sizes.push(route.request().postDataBuffer()?.length ?? 0);
      return sizes.length === 2 ? route.abort() : route.continue();
    });

    await page.getByRole('button', { name: 'Upload a file' }).click();
    await choose(page, 'large.jsonl', content);
    await page.getByRole('button', { name: 'Upload', exact: true }).click();
    await page.getByText('4.2 MB of 9.4 MB').waitFor();
    await page.getByText('large.jsonl is uploaded.').waitFor();

    expect(sizes).toHaveLength(4);
    const saved = await savedBy(page, 'Download large.jsonl');
    expect(saved.text === content.toString()).toBe(true);
  });

  it('whose upload is cancelled leaves nothing', async () => {
    const account = await newAccount();
    const page = await open(account, { at: 'files' });
    await page.route('**/v1/uploads/*/parts', () => {});
    await page.getByRole('button', { name: 'Upload a file' }).click();
    await choose(page, 'large.jsonl', Buffer.alloc(5 * 2 ** 20));
    const sent = page.waitForRequest('**/parts');
    await page.getByRole('button', { name: 'Upload', exact: true }).click();
    await sent;

    const cancelled = page.waitForResponse('**/cancel');
    await page.getByRole('button', { name: 'Cancel' }).click();

    expect((await (await cancelled).json()) as object).toMatchObject({ status: 'cancelled' });
    await page.getByText('No files yet.').waitFor();
  });

  it('that is refused says why, and stays in the form', async () => {
    const page = await open(await newAccount(), { at: 'files' });
    const refusal = { error: { message: 'The key has no place for it.' } };
    await page.route('**/v1/files', (route) => route.fulfill({ status: 400, json: refusal }));
    await page.getByRole('button', { name: 'Upload a file' }).click();
    await choose(page, 'a.jsonl', line('one'));

    await page.getByRole('button', { name: 'Upload', exact: true }).click();

    await page.getByText('The key has no place for it.').waitFor();
    expect(await page.getByRole('button', { name: 'Upload', exact: true }).isEnabled()).toBe(true);
  });

  it('that is a document becomes a job, which is run again as it was', async () => {
    const page = await open(await newAccount(), { at: 'files' });
    await page.getByRole('button', { name: 'Upload a file' }).click();
    await choose(page, 'notes.txt', 'Two valves are cracked.');
    await page.getByRole('button', { name: 'Upload', exact: true }).click();
    const row = page.getByRole('row', { name: 'notes.txt' });
    await row.getByText('user_data').waitFor();

    await row.getByRole('link').click();
    await page.getByRole('link', { name: 'New job' }).click();
    await page.getByLabel('Kind').selectOption('read it (OCR)');
    await page.getByRole('button', { name: 'Submit' }).click();
    await page.locator('h1 .badge', { hasText: 'done' }).waitFor();
    await page.getByText('Two valves are cracked.').first().waitFor();
    await page.getByRole('button', { name: 'Run again' }).click();

    expect(await page.getByLabel('Id of the file').inputValue()).toMatch(/^file-/);
  });

  it('of another key is not found', async () => {
    const id = await put(await newAccount(), 'mine.jsonl', line('one'));

    const page = await open(await newAccount(), { at: `files/${id}` });

    await page.getByText(`No such File object: ${id}`).waitFor();
  });
});

it('a job about an uploaded document is no batch', async () => {
  const account = await newAccount();
  const file_id = await put(account, 'pumps.txt', 'The pump was replaced in May.');
  const { id } = await submit(account, { job_type: 'chat', file_id, model: model.id });

  const page = await open(account, { at: `jobs/${id}` });

  await page.getByRole('heading', { name: 'pumps.txt' }).waitFor();
  await page
    .getByText(/^answer\b/)
    .first()
    .waitFor();
  expect(await page.getByText('batch', { exact: true }).count()).toBe(0);
});

describe('the list of files', () => {
  it('goes on with older ones, and moves with what other programs do', async () => {
    const account = await newAccount();
    for (let at = 0; at < 52; at++) await put(account, `number-${at}.jsonl`, 'x');
    const page = await open(account, { at: 'files' });
    await page.getByText('number-51.jsonl', { exact: true }).waitFor();
    expect(await page.getByText(/^number-\d+\.jsonl$/).count()).toBe(50);

    await page.getByRole('button', { name: 'Older files' }).click();
    await page.getByText('number-0.jsonl', { exact: true }).waitFor();
    await put(account, 'newest.jsonl', 'x');
    await page.getByText('newest.jsonl', { exact: true }).waitFor();

    expect(await page.getByText(/^number-\d+\.jsonl$/).count()).toBe(52);
    expect(await page.getByRole('button', { name: 'Older files' }).count()).toBe(0);
  });
});

describe('a batch', () => {
  it('shows its lines, its window, its files, and what failed by line', async () => {
    const account = await newAccount();
    const batch = await batchOf(account, [line('one'), line('refuse'), line('two')]);

    const page = await open(account, { at: jobPageOf(batch) });

    await page.getByText('2 of 3 lines, 1 failed').waitFor();
    await page.getByText(/^until .* \d\d:\d\d$/).waitFor();
    const error = page.getByRole('row', { name: 'ask-refuse' });
    expect(await error.getByRole('rowheader').innerText()).toBe('2');
    for (const name of ['Requests', 'Answers', 'What failed']) {
      await page.getByRole('rowheader', { name }).waitFor();
    }
    const saved = await savedBy(page, `Download ${batch.id}_output.jsonl`);
    expect(saved.name).toBe(`${batch.id}_output.jsonl`);
    expect(saved.text.trimEnd().split('\n')).toHaveLength(2);

    await page
      .getByRole('row', { name: 'Answers' })
      .getByRole('button', { name: 'Delete' })
      .click();
    await page.getByRole('button', { name: 'Erase for good' }).click();
    await page.getByText('The others are gone.').waitFor();
    expect(await page.getByRole('rowheader', { name: 'Answers' }).count()).toBe(0);
  });

  it('whose lines are wrong names each, by its number and field', async () => {
    const account = await newAccount();
    const batch = await batchOf(account, [line('one'), line('two', { model: 'no-such-model' })]);

    const page = await open(account, { at: jobPageOf(batch) });

    const error = page.getByRole('table').first().getByRole('row').nth(1);
    expect(await error.getByRole('rowheader').innerText()).toBe('2');
    expect(await error.innerText()).toContain('no-such-model');
  });

  it('that runs shows how it goes, and what is left of its window', async () => {
    const account = await newAccount();
    const batch = await batchOf(account, [line('slow'), line('one')], false);
    const page = await open(account, { at: jobPageOf(batch) });

    await page.getByText('in progress', { exact: true }).waitFor();
    await page.getByText(/^until .*, (24 hours|1 day) left$/).waitFor();
    slow.open();

    await page.getByText('completed', { exact: true }).waitFor();
    await page.getByText('2 of 2 lines', { exact: true }).first().waitFor();
  });
});
