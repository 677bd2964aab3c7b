import OpenAI, { toFile } from 'openai';
import { describe, expect, it } from 'vitest';
import { smallPdf, words } from '../../support/fixtures/small-documents.ts';
import { type Account, useChatStage } from '../../support/servers/chat-stage.ts';
import { post } from '../../support/servers/event-reader.ts';

const chat = await useChatStage();
const model = chat.newModel('plain', { kind: 'answer', content: 'In May.' });
const account = await chat.newAccount();

const clientOf = ({ base_url, api_key }: Account) =>
  new OpenAI({ baseURL: `${base_url}/v1`, apiKey: api_key, maxRetries: 0 });

const client = clientOf(account);

async function upload(name: string, content: Uint8Array | string): Promise<string> {
  const file = await toFile(Buffer.from(content), name);
  return (await client.files.create({ file, purpose: 'user_data' })).id;
}

const ask = (by: OpenAI, file: { file_id?: string; file_data?: string; filename?: string }) =>
  by.chat.completions.create({
    model: model.id,
    messages: [
      { role: 'system', content: 'Be brief.' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'When?' },
          { type: 'file', file },
        ],
      },
    ],
  });

const sentLast = () => model.upstreams[0]?.requests().at(-1)?.body.messages[1]?.content;

describe('a chat', () => {
  const said = async (body: object) =>
    (await post(account, '/chat/stream', { model: model.id, message: 'When?', ...body })).text();
  const sentMessage = () => model.upstreams[0]?.requests().at(-1)?.body.messages.at(-1)?.content;

  it('has the texts of files of the key, documents too', async () => {
    const text = await upload('pump.txt', 'The pump was replaced in May.');
    const page = await upload('valve.html', '<p>The <b>valve</b> was not.</p>');
    const pdf = await upload('tank.pdf', await smallPdf([{ words: words(1) }]));

    expect(await said({ file_ids: [text, page, pdf] })).toContain('"done"');

    expect(sentMessage()).toMatch(
      /^When\?\n\n--- pump\.txt ---\nThe pump was replaced in May\.\n\n--- valve\.html ---\n.*valve.*not\.\n\n--- tank\.pdf ---\n\S/s,
    );
    expect(sentMessage()).not.toContain('<b>');
  });

  it('is refused with a file that the key hasn’t, and with more than 4 MB', async () => {
    const large = await upload('a.txt', 'x'.repeat(3 * 2 ** 20));

    expect(JSON.parse(await said({ file_ids: ['file-1'] }))).toMatchObject({
      detail: [{ loc: ['body', 'file_ids', 0], msg: 'Value error, no such file: file-1' }],
    });
    expect(JSON.parse(await said({ file_ids: [large, large] }))).toMatchObject({
      detail: [{ loc: ['body', 'file_ids', 1] }],
    });
  });
});

describe('a chat completion', () => {
  it('is asked with the bytes of a file of the key', async () => {
    const pdf = Buffer.from(await smallPdf([{ words: words(1) }]));
    const file_id = await upload('pump.pdf', pdf);

    const answer = await ask(client, { file_id });

    expect(answer.choices[0]?.message.content).toBe('In May.');
    expect(sentLast()).toEqual([
      { type: 'text', text: 'When?' },
      {
        type: 'file',
        file: {
          filename: 'pump.pdf',
          file_data: `data:application/pdf;base64,${pdf.toString('base64')}`,
        },
      },
    ]);
  });

  it('may call the file otherwise, and costs what it does with the same bytes in it', async () => {
    const text = 'The pump was replaced in May.';
    const file_id = await upload('pump.txt', text);

    const named = await ask(client, { file_id, filename: 'report.txt' });

    const file_data = `data:text/plain;base64,${Buffer.from(text).toString('base64')}`;
    expect(sentLast()).toMatchObject([{}, { file: { filename: 'report.txt', file_data } }]);
    const sent = await ask(client, { file_data, filename: 'report.txt' });
    expect(named.usage).toEqual(sent.usage);
  });

  it('is refused with another key’s file, a deleted one, and a provider’s', async () => {
    const file_id = await upload('a.txt', 'mine');
    const other = clientOf(await chat.newAccount());
    const refused = { status: 400, param: 'messages.1.content.1.file.file_id' };

    await expect(ask(other, { file_id })).rejects.toMatchObject(refused);
    await client.files.delete(file_id);
    await expect(ask(client, { file_id })).rejects.toMatchObject(refused);
    await expect(ask(client, { file_id: 'file-8Xk2' })).rejects.toMatchObject(refused);
  });

  it('is refused with more than 20 MB of files', async () => {
    const file_id = await upload('a.txt', 'x'.repeat(4 * 2 ** 20));
    const content = Array.from({ length: 6 }, () => ({ type: 'file' as const, file: { file_id } }));

    await expect(
      client.chat.completions.create({ model: model.id, messages: [{ role: 'user', content }] }),
    ).rejects.toMatchObject({
      ...{ status: 400, message: expect.stringContaining('may have 20 MB together') },
      param: 'messages.0.content.5.file.file_id',
    });
  });
});
