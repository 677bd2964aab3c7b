import { describe, expect, it } from 'vitest';
import type { Caller } from '../../../../shared/http/caller.ts';
import type { ChatResult, PipelineResult } from '../../../../shared/jobs/results/result.ts';
import type { JobRecord } from '../../../../shared/jobs/routes/record.ts';
import { estimateTokens } from '../../../../shared/models/token-bounds.ts';
import {
  greyJpeg,
  type SmallPage,
  smallPdf,
  words,
} from '../../../support/fixtures/small-documents.ts';
import { completionOf } from '../../../support/servers/model-stub-pieces.ts';
import { useFreshHour } from '../../../support/worlds/clock.ts';
import { useOf } from '../../../support/worlds/document-use.ts';
import { useDocumentWorld } from '../../../support/worlds/document-world.ts';
import { chargesOf } from '../../../support/worlds/ledger-world.ts';

const world = await useDocumentWorld();

useFreshHour();

async function run(
  caller: Caller,
  name: string,
  content: Uint8Array | string,
  rest: object = {},
): Promise<JobRecord> {
  const drive = { file_id: await world.add(name, content) };
  const { id } = await world.submit(caller, { job_type: 'chat', drive, ...rest });
  await world.work();
  return world.read(caller, id);
}

/** What the model was told from the nth request on. */
const told = (from: number) => world.model.requests.slice(from).map(({ body }) => body.messages);

/** The text of messages that are one user's. */
const textOf = (messages: { content: unknown }[]) => String(messages[0]?.content);

it('a budget that covers the question alone is refused without a limit that no job has', async () => {
  const caller = await world.newCaller({ budget_usd: 0.000_05 });

  const { status, error } = await run(caller, 'notes.txt', 'Plain words.');

  expect(status).toBe('failed');
  expect(error).toMatch(/^budget_exceeded: .* Use a cheaper model, or have the budget raised\.$/);
});

describe('an auto job', () => {
  it('reads what has pages, and asks about what is text', { tags: 'exhaustive' }, async () => {
    const caller = await world.newCaller();
    const files: [string, Uint8Array | string, string][] = [
      ['photo.jpg', await greyJpeg(40), 'textract'],
      ['paper.pdf', await smallPdf([{ words: words(1) }]), 'textract'],
      ['notes.txt', 'Plain words.', 'gpt-5-mini'],
      ['readme.md', '# A title', 'gpt-5-mini'],
      ['table.csv', 'a,b\n1,2', 'gpt-5-mini'],
      ['data.json', '{"a":1}', 'gpt-5-mini'],
      ['a doc.gdoc', '# Written with Google', 'gpt-5-mini'],
      ['a sheet.gsheet', 'c,d\n3,4', 'gpt-5-mini'],
      ['slides.gslides', 'One slide.', 'gpt-5-mini'],
    ];
    const jobs = [];
    for (const [name, content] of files) {
      world.drive.put(name, content);
      const drive = { file_id: await world.idOf(name.replace(/\.g(doc|sheet|slides)$/, '')) };
      jobs.push(await world.submit(caller, { job_type: 'auto', drive }));
    }

    await world.work();

    for (const [index, [name, content, model]] of files.entries()) {
      const job = await world.read(caller, jobs[index]?.id ?? '');
      expect(job, name).toMatchObject({ status: 'done', error: null, job_type: 'auto', model });
      if (model === 'textract')
        expect(job.result, name).toMatchObject({ type: 'ocr', page_count: 1 });
      else expect(job.result, name).toMatchObject({ type: 'chat', content: `echo: ${content}` });
    }
  });

  it.each<[string, Uint8Array | string, RegExp]>([
    ['pack.zip', 'PK\x03\x04', /^unreadable_document: .*its end is missing/],
    ['photo.heic', heic(), /^unsupported_file_type: photo\.heic is a HEIC picture, which/],
    ['letter.docx', 'PK\x03\x04', /^unreadable_document: .*its end is missing/],
    [
      'letter.doc',
      Buffer.from('d0cf11e0a1b11ae1', 'hex'),
      /^unsupported_file_type: letter\.doc is an Office file of an older format, or one with a password/,
    ],
    [
      'sound.mp3',
      new Uint8Array([0, 1, 2, 3]),
      /^unsupported_file_type: sound\.mp3 is a sound recording/,
    ],
    ['empty.txt', '', /^empty_document: /],
  ])('fails on %s, and says why', async (name, content, error) => {
    const caller = await world.newCaller();

    const job = await run(caller, name, content, { job_type: 'auto' });

    expect(job).toMatchObject({ status: 'failed', result: null, retry_count: 0 });
    expect(job.error).toMatch(error);
    expect((await useOf(caller)).used).toBe(0);
  });
});

describe('a chat about a document', () => {
  it('puts its text to the model, and the answer beside it', async () => {
    const caller = await world.newCaller();
    const before = world.model.requests.length;

    const job = await run(caller, 'ask.md', '# What is this?', { model: 'gpt-4.1-mini' });

    expect(told(before)).toEqual([[{ role: 'user', content: '# What is this?' }]]);
    const resultId = await world.idOf('ask.md.result.md');
    expect(job).toMatchObject({
      status: 'done',
      model: 'gpt-4.1-mini',
      filename: 'ask.md',
      drive_result_file_id: resultId,
      result: { type: 'chat', content: 'echo: # What is this?', finish_reason: 'stop' },
    });
    expect(job.result).not.toHaveProperty('parts');
    expect(await world.contentOf(resultId)).toMatch(/\n---\n\necho: # What is this\?$/);
    expect((await useOf(caller)).used).toBe((job.result as ChatResult).cost_usd);
  });

  it.each<[string, string, [number, number]]>([
    ['another, dearer model', 'gpt-5.2', [10, 20]],
    ['a provider that reports more than was held', 'gpt-4.1-mini', [1_000_000, 20]],
  ])('that is answered by %s tells what was charged', async (_, model, usage) => {
    const caller = await world.newCaller();
    const answer = { ...JSON.parse(completionOf('hi', usage)), model };
    world.model.respond({ kind: 'pieces', pieces: [JSON.stringify(answer)] });

    const name = `dearer-${usage[0]}.md`;
    const job = await run(caller, name, '# What is this?', { model: 'gpt-4.1-mini' });

    const charges = await chargesOf(caller.keyId);
    expect(charges).toMatchObject([{ status: 'settled' }]);
    const { cost_usd } = job.result as ChatResult;
    expect(Math.round(cost_usd * 1e9)).toBe(charges[0]?.cost);
    expect(cost_usd).toBe((await useOf(caller)).used);
  });

  it('that is JSON with messages is the conversation itself', async () => {
    const caller = await world.newCaller();
    const messages = [
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: [{ type: 'text', text: 'Hello' }] },
    ];
    const before = world.model.requests.length;

    const job = await run(caller, 'talk.json', JSON.stringify({ messages }));

    expect(told(before)).toEqual([messages]);
    expect(job.result).toMatchObject({ type: 'chat', content: expect.stringContaining('Hello') });
  });

  it('that is JSON of anything else is a text', async () => {
    const caller = await world.newCaller();
    const before = world.model.requests.length;

    await run(caller, 'numbers.json', '[1, 2, 3]');

    expect(told(before)).toEqual([[{ role: 'user', content: '[1, 2, 3]' }]]);
  });

  it.each([
    [
      'no-role.json',
      '{"messages":[{"content":"Hi"}]}',
      /^invalid_messages: no-role\.json: messages\.0/,
    ],
    [
      'no-file.json',
      '{"messages":[{"role":"user","content":[{"type":"file","file":{"file_id":"file-1"}}]}]}',
      /^invalid_messages: no-file\.json: messages\.0\.content\.0\.file\.file_id: a file is named in a part of the type file alone/,
    ],
    [
      'cached.json',
      '{"messages":[{"role":"user","content":[{"type":"text","text":"Hi","cache_control":{"ttl":"1h"}}]}]}',
      /^invalid_messages: cached\.json: messages\.0\.content\.0\.cache_control: it is not available/,
    ],
    [
      'loud.json',
      '{"messages":[{"role":"user","content":"Hi","CONTENT":[{"type":"file"}]}]}',
      /^invalid_messages: loud\.json: messages\.0\.CONTENT: unknown name/,
    ],
    [
      'deep.json',
      `{"messages":[],"x":${'['.repeat(10_000)}${']'.repeat(10_000)}}`,
      /^invalid_messages: deep\.json: Input should not be nested deeper than 64 levels/,
    ],
    [
      'many.json',
      `{"messages":[${Array(300_000).fill('{}').join(',')}]}`,
      /^invalid_messages: many\.json: messages: Input should have at most 500000 values/,
    ],
    [
      'many-wrong.json',
      `{"messages":[${Array(90_000).fill('{}').join(',')}]}`,
      /^invalid_messages: many-wrong\.json: messages\.0/,
    ],
    ['none.json', '{"messages":[]}', /^invalid_messages: none\.json: messages/],
    ['scan.pdf', '%PDF-1.7', /^unsupported_file_type: scan\.pdf is a PDF.*job_type ocr/],
  ])('fails on %s, and says why', async (name, content, error) => {
    const caller = await world.newCaller();

    const job = await run(caller, name, content);

    expect(job).toMatchObject({ status: 'failed', retry_count: 0 });
    expect(job.error).toMatch(error);
  });

  it('in another encoding reads as it was written', async () => {
    const caller = await world.newCaller();
    const utf16 = Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from('Grüße', 'utf16le')]);

    const job = await run(caller, 'utf16.txt', utf16);

    expect(job.result).toMatchObject({ content: 'echo: Grüße' });
    expect(job.result).not.toHaveProperty('warnings');
  });

  it('in an encoding that nothing tells says so', async () => {
    const caller = await world.newCaller();
    const russian = Buffer.from('cff0e8e2e5f22c20eae0ea20e4e5ebe03f', 'hex');

    const job = await run(caller, 'old.txt', russian);

    expect(job.result).toMatchObject({
      content: 'echo: Привет, как дела?',
      warnings: [{ code: 'encoding_guessed', pages: [1] }],
    });
  });
});

describe('a document longer than the context', () => {
  const model = 'gpt-4o-mini';
  const paragraph = (at: number) => `Paragraph ${at}: ${'word '.repeat(2_000)}`.trim();
  const long = Array.from({ length: 100 }, (_, at) => paragraph(at + 1)).join('\n\n');

  it('is answered part by part, and the answers made one', async () => {
    const caller = await world.newCaller();
    world.model.respond((body) => ({
      kind: 'answer',
      content: textOf(body.messages).startsWith('This is part') ? 'Of a part.' : 'Of all.',
    }));
    const before = world.model.requests.length;

    const job = await run(caller, 'long.txt', long, { model });

    const asked = told(before).map(textOf);
    const parts = asked.filter((text) => text.startsWith('This is part'));
    expect(parts.length).toBe(4);
    expect(asked.length).toBe(5);
    expect(
      inOrder(parts)
        .map((part) => part.split('\n\n').slice(1).join('\n\n'))
        .join('\n\n'),
    ).toBe(long);
    expect(asked.at(-1)).toMatch(
      /Make one answer of them\.[\s\S]*Part 1:\nOf a part\.[\s\S]*Part 4:/,
    );
    expect(job.result).toMatchObject({ type: 'chat', content: 'Of all.', parts: 4 });
    const { cost_usd, usage } = job.result as ChatResult;
    expect(cost_usd).toBe((await useOf(caller)).used);
    expect(usage.completion_tokens).toBe(4 * 3 + 2);
  });

  it('than the provider says it is, is divided further, at page borders', async () => {
    const caller = await world.newCaller();
    const pages: SmallPage[] = Array.from({ length: 8 }, (_, at) => ({ words: words(at + 1) }));
    const mostTokens = 3 * estimateTokens(words(1)) + 40;
    world.model.respond(({ messages }) =>
      estimateTokens(textOf(messages)) > mostTokens
        ? { kind: 'status', status: 400, body: tooLong }
        : { kind: 'answer', content: 'Short.' },
    );

    const job = await run(caller, 'pages.pdf', await smallPdf(pages), {
      job_type: 'ocr',
      pipeline: 'ocr_then_chat',
      pipeline_instruction: 'Sum up.',
    });

    expect(job.status).toBe('done');
    const { chat, cost_usd } = job.result as PipelineResult;
    expect(chat).toMatchObject({ content: 'Short.' });
    expect(chat?.parts).toBeGreaterThan(1);
    expect(cost_usd).toBe((await useOf(caller)).used);
  });

  it('in one part only costs what was answered, and says so', async () => {
    const caller = await world.newCaller();
    const before = world.model.requests.length;
    const refused = new Set<string>();
    world.model.respond(({ messages }) => {
      const text = textOf(messages);
      if (!text.startsWith('This is part 2 of 4')) return { kind: 'answer', content: 'Part.' };
      refused.add(text);
      return { kind: 'status', status: 400, body: tooLong };
    });

    const job = await run(caller, 'uneven.txt', long, { model });

    expect(refused.size).toBe(1);
    expect(job).toMatchObject({ status: 'done', result: { content: 'Part.' } });
    expect((job.result as ChatResult).parts).toBeGreaterThan(4);
    expect((job.result as ChatResult).cost_usd).toBe((await useOf(caller)).used);
    expect(world.model.requests.length - before).toBeGreaterThan(3);
  });

  it('is given up where no division helps', async () => {
    const caller = await world.newCaller();
    world.model.respond({ kind: 'status', status: 400, body: tooLong });
    const before = world.model.requests.length;

    const job = await run(caller, 'hopeless.txt', 'Short, but not for this model.');

    expect(job).toMatchObject({ status: 'failed', retry_count: 0 });
    expect(job.error).toMatch(/^context_length_exceeded: /);
    expect(told(before).length).toBeLessThan(20);
    expect((await useOf(caller)).used).toBe(0);
  });
});

const tooLong = {
  error: {
    message: "This model's maximum context length is 100 tokens.",
    type: 'invalid_request_error',
    param: 'messages',
    code: 'context_length_exceeded',
  },
};

/** Parts as they stand in the document: they are asked about at once. */
function inOrder(parts: string[]): string[] {
  const place = (part: string) => Number(/^This is part (\d+)/.exec(part)?.[1]);
  return parts.toSorted((one, other) => place(one) - place(other));
}

function heic(): Uint8Array {
  return Buffer.concat([Buffer.from([0, 0, 0, 24]), Buffer.from('ftypheic\0\0\0\0mif1heic')]);
}
