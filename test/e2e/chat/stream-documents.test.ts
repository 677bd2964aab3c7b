import { beforeAll, expect, it } from 'vitest';
import { emailOf } from '../../support/fixtures/common-documents.ts';
import { archiveOf, docxOf, wordParagraph } from '../../support/fixtures/office-files.ts';
import { greyJpeg, smallPdf, words } from '../../support/fixtures/small-documents.ts';
import { call } from '../../support/servers/api.ts';
import { type Account, budgetOf, useChatStage } from '../../support/servers/chat-stage.ts';
import { post } from '../../support/servers/event-reader.ts';
import type { TestModel } from '../../support/servers/test-models.ts';

const chat = await useChatStage();
let account: Account;

beforeAll(async () => {
  account = await chat.newAccount();
});

const base64 = (bytes: Uint8Array | string) => Buffer.from(bytes).toString('base64');

/** What a model was told with these files. */
async function toldWith(files: object[]): Promise<string> {
  const model: TestModel = chat.newModel();
  const response = await post(account, '/chat/stream', {
    message: 'Read.',
    model: model.id,
    files,
  });
  expect([response.status, await response.text()]).toEqual([
    200,
    expect.stringContaining('[DONE]'),
  ]);
  const [message] = model.upstreams[0]?.requests().at(-1)?.body.messages ?? [];
  return String(message?.content).replace(/[^\S\n]+/g, ' ');
}

it('the text of documents is put to the model beside that of text files', {
  tags: 'exhaustive',
}, async () => {
  const pdf = await smallPdf([{ words: words(1) }, { grey: 90 }]);
  const mail = emailOf({
    text: 'See there.',
    files: [{ name: 'offer.docx', type: '', bytes: docxOf(wordParagraph('An offer')) }],
  });

  const told = await toldWith([
    { name: 'a.txt', content: 'Plain words.' },
    { name: 'b.pdf', content: `data:application/pdf;base64,${base64(pdf)}` },
    { name: 'c.docx', content: base64(docxOf(wordParagraph('A letter'))) },
    { name: 'd', content: base64(archiveOf({ 'in.txt': 'words within' })) },
    { name: 'e.eml', content: `data:message/rfc822;base64,${base64(mail)}` },
    { name: 'f.txt', content: `data:text/plain;base64,${base64('Grüße')}` },
  ]);

  const texts = told.split('\n\n--- ');
  expect(texts.slice(0, 2)).toEqual(['Read.', 'a.txt ---\nPlain words.']);
  expect(texts[2]?.replace(/\s+/g, ' ')).toBe(
    `b.pdf --- ${words(1)} [A picture, which was not read.]`,
  );
  expect(texts.slice(3)).toEqual([
    'c.docx ---\nA letter',
    'd ---\n--- in.txt ---\nwords within',
    expect.stringMatching(/^e\.eml ---\n# The lamps\n[\s\S]*See there\.$/),
    'offer.docx ---\nAn offer',
    'f.txt ---\nGrüße',
  ]);
});

it('a scan is refused with a sentence that says what reads it, and costs nothing', async () => {
  const fresh = await chat.newAccount();
  const scans: [string, Uint8Array][] = [
    ['scan.pdf', await smallPdf([{ grey: 90 }])],
    ['scan.docx', docxOf('', { 'word/media/image1.jpg': await greyJpeg(90, 600) })],
  ];

  for (const [name, bytes] of scans) {
    const files = [{ name, content: base64(bytes) }];
    const { status, body } = await call(fresh, 'POST', '/chat/stream', { message: 'Read.', files });

    expect([status, body]).toEqual([
      422,
      {
        detail: [
          {
            loc: ['body', 'files', 0, 'content'],
            msg: `Value error, ${name} has no text that can be read without OCR: read it with a batch job of job_type ocr, or with the pipeline ocr_then_chat.`,
            type: 'value_error',
          },
        ],
      },
    ]);
  }
  expect((await budgetOf(fresh)).used_usd).toBe(0);
});

it.each([
  ['has no budget', { budget_usd: 0 }, 'Budget exceeded'],
  ['may make no requests', { requests_per_minute: 0 }, 'Rate limit exceeded'],
])('nothing is read for a key that %s', async (_, limits, said) => {
  const files = [{ name: 'broken.pdf', content: base64(Buffer.from('%PDF-1.7')) }];
  const caller = await chat.newAccount(limits);

  const { status, body } = await call(caller, 'POST', '/chat/stream', { message: 'Read.', files });

  expect(status).toBe(429);
  expect(JSON.stringify(body)).toContain(said);
});

it('a document with more text than a message may have is refused', async () => {
  const long = archiveOf({ 'long.txt': 'word '.repeat(220_000) });
  const files = [{ name: 'long.zip', content: base64(long) }];

  const { status, body } = await call(account, 'POST', '/chat/stream', { message: 'Read.', files });

  expect(status).toBe(422);
  expect(JSON.stringify(body)).toContain('too long');
});
