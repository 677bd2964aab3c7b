import { describe, expect, it } from 'vitest';
import type { Caller } from '../../../shared/http/caller.ts';
import { inlineName } from '../../../shared/jobs/asked/inline-files.ts';
import type { OcrResult, PipelineResult } from '../../../shared/jobs/results/result.ts';
import { emailOf } from '../../support/fixtures/common-documents.ts';
import { archiveOf, docxOf, wordParagraph } from '../../support/fixtures/office-files.ts';
import { greyJpeg, imagePart, smallPdf, words } from '../../support/fixtures/small-documents.ts';
import { useFreshHour } from '../../support/worlds/clock.ts';
import { useOf } from '../../support/worlds/document-use.ts';
import { useDocumentWorld } from '../../support/worlds/document-world.ts';

const world = await useDocumentWorld();

useFreshHour();

/** A message's part that is a file, as OpenAI's clients send it. */
const filePart = (filename: string | undefined, bytes: Uint8Array | string, type = '') => ({
  type: 'file',
  file: {
    ...(filename && { filename }),
    file_data: `data:${type};base64,${Buffer.from(bytes).toString('base64')}`,
  },
});

async function run(caller: Caller, content: object[], rest: object) {
  const inline = { messages: [{ role: 'user', content }] };
  const { id } = await world.submit(caller, { inline, ...rest });
  await world.work();
  return world.read(caller, id);
}

const ask = { type: 'text', text: 'What does it say?' };

describe('files in the messages of an ocr job', () => {
  it('are read with the images, in their order, each under its name', async () => {
    const caller = await world.newCaller();
    const pdf = await smallPdf([{ words: words(1) }, { grey: 200 }]);
    const mail = emailOf({
      text: 'See there.',
      files: [{ name: 'scan.jpg', type: 'image/jpeg', bytes: await greyJpeg(40) }],
    });
    const content = [
      ask,
      filePart('paper.pdf', pdf, 'application/pdf'),
      await imagePart(120),
      filePart('mail.eml', mail),
      filePart(undefined, docxOf(wordParagraph('A letter'))),
    ];

    const job = await run(caller, content, { job_type: 'ocr' });

    const { pages, images_used } = job.result as OcrResult;
    expect(
      pages.map(({ part, source, text }) => [part, source, text?.replace(/\s+/g, ' ')]),
    ).toEqual([
      ['paper.pdf', 'text_layer', words(1)],
      ['paper.pdf', 'ocr', 'grey 200'],
      [undefined, 'ocr', 'grey 120'],
      ['mail.eml', 'text_layer', expect.stringMatching(/See there\.$/)],
      ['mail.eml/scan.jpg', 'ocr', 'grey 40'],
      ['file 3', 'text_layer', 'A letter'],
    ]);
    expect(images_used).toBe(3);
    expect(await useOf(caller)).toMatchObject({ used: 0.0045, images: 3 });
  });

  it.each([
    ['notes.txt', 'Only words.'],
    ['rows.csv', 'item,price\nlamp,3'],
    ['note.md', '# Lamps'],
    ['lamp.json', '{"lamp": 3}'],
  ])('are returned as they are where the file is the text %s', async (name, text) => {
    const caller = await world.newCaller();

    const job = await run(caller, [filePart(name, text)], { job_type: 'ocr' });

    const pages = [{ page: 1, source: 'text_layer', text }];
    expect(job).toMatchObject({ status: 'done', result: { page_count: 1, images_used: 0, pages } });
  });

  it('go on to the chat step of a pipeline', async () => {
    const caller = await world.newCaller();
    const content = [filePart('scan.pdf', await smallPdf([{ grey: 90 }]))];

    const job = await run(caller, content, {
      job_type: 'chat',
      pipeline: 'ocr_then_chat',
      pipeline_instruction: 'Sum up.',
    });

    const { chat } = job.result as PipelineResult;
    expect(chat?.content).toBe('echo: Sum up.\n\n--- scan.pdf ---\ngrey 90');
  });

  it.each<[string, Uint8Array | string, RegExp]>([
    [
      'film.mp4',
      '\0\0\0\x10ftypisom\0\0\0\0',
      /^unsupported_file_type: film\.mp4 is a video, which/,
    ],
    ['cut.pdf', '%PDF-1.7\n1 0 obj', /^unreadable_document: /],
  ])('fail the job where the only one is %s', async (name, bytes, error) => {
    const caller = await world.newCaller();

    const job = await run(caller, [filePart(name, bytes)], { job_type: 'ocr' });

    expect(job).toMatchObject({ status: 'failed', retry_count: 0 });
    expect(job.error).toMatch(error);
  });

  it('are read whatever half characters their names have', async () => {
    const caller = await world.newCaller();
    const jpeg = await greyJpeg(40);
    const content = [filePart('half \ud83d.jpg', jpeg), filePart('whole.jpg', jpeg)];

    const job = await run(caller, content, { job_type: 'ocr' });

    expect(job).toMatchObject({ status: 'done', error: null, result: { page_count: 2 } });
  });

  it.each(['😀', 'a😀'])(
    'fail the job with an error in whole characters, for a long name of %s',
    async (name) => {
      const caller = await world.newCaller();

      const film = filePart(name.repeat(2_000), '\0\0\0\x10ftypisom\0\0\0\0');
      const job = await run(caller, [film], { job_type: 'ocr' });

      expect(job).toMatchObject({ status: 'failed', retry_count: 0 });
      expect(job.error).toHaveLength(2_000);
    },
  );
});

describe('files in the messages of a chat job', () => {
  it('are put to the model as their text, in their place', async () => {
    const caller = await world.newCaller();
    const before = world.model.requests.length;
    const content = [
      ask,
      filePart('paper.pdf', await smallPdf([{ words: words(1) }, { grey: 90 }])),
      filePart('pack.zip', archiveOf({ 'a.docx': docxOf(wordParagraph('A letter')) })),
      filePart('notes.txt', 'Only words.'),
      await imagePart(120),
    ];

    const job = await run(caller, content, { job_type: 'chat', model: 'gpt-4.1-mini' });

    expect(job).toMatchObject({ status: 'done', result: { type: 'chat' } });
    const [message] = world.model.requests[before]?.body.messages ?? [];
    expect(message).toMatchObject({
      role: 'user',
      content: [
        ask,
        {
          type: 'text',
          text: expect.stringMatching(
            /^--- paper\.pdf ---\nThese words[\s\S]*\n\n\[A picture, which was not read\.\]$/,
          ),
        },
        { type: 'text', text: '--- pack.zip ---\n--- a.docx ---\nA letter' },
        { type: 'text', text: '--- notes.txt ---\nOnly words.' },
        { type: 'image_url' },
      ],
    });
  });

  it.each<[string, () => Promise<Uint8Array>, RegExp]>([
    [
      'scan.pdf',
      () => smallPdf([{ grey: 90 }]),
      /^no_text: scan\.pdf has no text that can be read without OCR: read it with a batch job of job_type ocr/,
    ],
    [
      'photo.jpg',
      () => greyJpeg(40),
      /^unsupported_file_type: photo\.jpg is a picture, .* send it as an image/,
    ],
  ])('fail the job where one is %s', async (name, bytes, error) => {
    const caller = await world.newCaller();

    const job = await run(caller, [ask, filePart(name, await bytes())], { job_type: 'chat' });

    expect(job).toMatchObject({ status: 'failed', retry_count: 0 });
    expect(job.error).toMatch(error);
    expect((await useOf(caller)).used).toBe(0);
  });
});

describe('a submission is refused with 422', () => {
  const at = ['body', 'inline', 'messages', 1, 'content', 0];
  const advice = 'data:application/pdf;base64,';
  it.each<[string, object, (string | number)[], string]>([
    [
      'a file that was uploaded elsewhere',
      { file_id: 'file-7' },
      ['file', 'file_id'],
      'no such file',
    ],
    [
      'a file at an address',
      { file_data: 'https://a.example/a.pdf' },
      ['file', 'file_data'],
      advice,
    ],
    ['a file without data', { filename: 'a.pdf' }, ['file', 'file_data'], advice],
    [
      'a file whose name is none',
      { file_data: 'data:;base64,AAAA', filename: 7 },
      ['file', 'filename'],
      'string',
    ],
  ])('with %s', async (_, file, loc, why) => {
    const caller = await world.newCaller();
    const messages = [
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: [{ type: 'file', file }] },
    ];

    for (const job_type of ['chat', 'ocr']) {
      await expect(world.submit(caller, { job_type, inline: { messages } })).rejects.toMatchObject({
        statusCode: 422,
        fields: [{ loc: [...at, ...loc], msg: expect.stringContaining(why), type: 'value_error' }],
      });
    }
  });
});

describe('the name of a job', () => {
  const file = (filename?: string) => ({
    ...{ type: 'file', file: { file_data: 'data:text/plain;base64,YQ==', filename } },
  });
  const image = { type: 'image_url', image_url: { url: 'data:image/png;base64,YQ==' } };
  const nameOf = (...content: object[]) => inlineName([{ content }]);

  it('is that of the file in its messages, and tells of others', () => {
    expect(nameOf(file('a.pdf'))).toEqual({ filename: 'a.pdf' });
    expect(nameOf(image, file('a.pdf'), file(), file('b.txt'))).toEqual({
      filename: 'a.pdf and 2 more',
    });
    expect(nameOf(file('n'.repeat(5_000))).filename).toHaveLength(200);
  });

  it('is none without a file', () => {
    expect(nameOf(image, { type: 'text', text: 'a.pdf' })).toEqual({});
    expect(inlineName([{ content: 'a.pdf' }])).toEqual({});
  });
});
