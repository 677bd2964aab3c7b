import { describe, expect, it } from 'vitest';
import { pdfOf } from '../../support/fixtures/pdfs.ts';
import { scanOf } from '../../support/fixtures/scans.ts';
import { chatJob, submit, type Target, until } from '../../support/servers/api.ts';
import { useChatStage } from '../../support/servers/chat-stage.ts';

const stage = await useChatStage();

async function readJob(caller: Target, filename: string, type: string, bytes: Uint8Array) {
  const file_data = `data:${type};base64,${Buffer.from(bytes).toString('base64')}`;
  const content = [{ type: 'file', file: { filename, file_data } }];
  const { id } = await submit(caller, {
    job_type: 'ocr',
    inline: { messages: [{ role: 'user', content }] },
  });
  expect(await until(caller, id)).toMatchObject({ status: 'done' });
  return id;
}

const askPage = ({ base_url, api_key }: Target, id: string, page: number | string) =>
  fetch(`${base_url}/batch/jobs/${id}/pages/${page}`, {
    headers: { authorization: `Bearer ${api_key}` },
  });

const twoPages = () => pdfOf([{ text: 'The first page.' }, { text: 'The second page.' }]);

describe('A page of a job’s document', () => {
  it('is drawn for its key, whether it has a text layer or is a scan', async () => {
    const caller = await stage.newAccount();
    const pdf = await readJob(caller, 'two.pdf', 'application/pdf', await twoPages());
    const scan = await scanOf({ text: 'A scanned letter', dpi: 100 });
    const picture = await readJob(caller, 'letter.jpg', 'image/jpeg', scan);

    const pages = [await askPage(caller, pdf, 1), await askPage(caller, pdf, 2)];
    pages.push(await askPage(caller, picture, 1));
    const drawn = await Promise.all(pages.map((page) => page.bytes()));

    for (const [index, { status, headers }] of pages.entries()) {
      expect(status).toBe(200);
      expect(headers.get('content-type')).toBe('image/jpeg');
      expect(headers.get('cache-control')).toBe('private, max-age=3600');
      expect([...(drawn[index]?.subarray(0, 3) ?? [])]).toEqual([0xff, 0xd8, 0xff]);
    }
    expect(Buffer.compare(drawn[0] as Uint8Array, drawn[1] as Uint8Array)).not.toBe(0);
  });

  it('is a 404 where there is none: beyond the last, of a text, of no document, of another key', async () => {
    const caller = await stage.newAccount();
    const other = await stage.newAccount();
    const id = await readJob(caller, 'two.pdf', 'application/pdf', await twoPages());
    const { id: model } = stage.newModel('plain', { kind: 'answer', content: 'Hello.' });
    const chat = await submit(caller, { ...chatJob('Hello?'), model });
    const told = async (asked: Promise<Response>) => {
      const response = await asked;
      return [response.status, ((await response.json()) as { detail: string }).detail];
    };

    expect(await told(askPage(caller, id, 3))).toEqual([
      404,
      'The document has 2 pages: there is no page 3.',
    ]);
    expect(await told(askPage(caller, chat.id, 1))).toEqual([
      404,
      'The job has no document whose pages could be drawn.',
    ]);
    expect(await told(askPage(other, id, 1))).toEqual([404, 'There is no such job.']);
    expect((await askPage(caller, id, 'two')).status).toBe(422);
    expect((await askPage(caller, id, 0)).status).toBe(422);
  });
});
