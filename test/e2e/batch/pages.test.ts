import { describe, expect, it } from 'vitest';
import { pdfOf } from '../../support/fixtures/pdfs.ts';
import { greyJpeg } from '../../support/fixtures/small-documents.ts';
import { call, chatJob, submit, type Target, until } from '../../support/servers/api.ts';
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
    const picture = await readJob(caller, 'letter.jpg', 'image/jpeg', await greyJpeg(90));

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
      'There is no page 3: the document has 2 pages.',
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

describe('A page that fields were taken from', () => {
  /** Has a field taken from an inline file. Returns the job, and the step that was made for it. */
  async function extracted(caller: Target, filename: string, type: string, bytes: Uint8Array) {
    const { id: model } = stage.newModel('plain', {
      kind: 'answer',
      content: JSON.stringify({ total: { value: 12.5, quote: '12.50', page: 1 } }),
    });
    const file_data = `data:${type};base64,${Buffer.from(bytes).toString('base64')}`;
    const content = [{ type: 'file', file: { filename, file_data } }];
    const { id } = await submit(caller, {
      ...{ job_type: 'chat', model, extract: { example: { total: 1.5 } } },
      inline: { messages: [{ role: 'user', content }] },
    });
    return { id, step: await stepOf(caller, id) };
  }

  async function stepOf(caller: Target, id: string): Promise<string> {
    expect(await until(caller, id)).toMatchObject({ status: 'done', error: null });
    const path = `/batch/jobs?parent_job_id=${id}`;
    const { body } = await call<{ jobs: { id: string }[] }>(caller, 'GET', path);
    expect(body.jobs).toHaveLength(1);
    return body.jobs[0]?.id ?? '';
  }

  it('is the same for the job and for its step', async () => {
    const caller = await stage.newAccount();
    const { id, step } = await extracted(caller, 'two.pdf', 'application/pdf', await twoPages());

    for (const page of [1, 2]) {
      const [own, steps] = await Promise.all([id, step].map((job) => askPage(caller, job, page)));
      expect(own?.headers.get('content-type')).toBe('image/jpeg');
      expect(steps?.status).toBe(200);
      const bytes = await Promise.all([own, steps].map((each) => each?.bytes()));
      expect(Buffer.compare(bytes[0] as Uint8Array, bytes[1] as Uint8Array)).toBe(0);
    }
    expect((await askPage(caller, step, 3)).status).toBe(404);
  });

  it('comes as its text where it has no picture, a long text page by page', async () => {
    const caller = await stage.newAccount();
    const text = `To be paid: 12.50 €\n${'A line of a long text.\n'.repeat(400)}`;
    const { id, step } = await extracted(caller, 'a.txt', 'text/plain', Buffer.from(text));

    for (const job of [id, step]) {
      const pages = await Promise.all([1, 2].map((page) => askPage(caller, job, page)));
      for (const { status, headers } of pages) {
        expect(status).toBe(200);
        expect(headers.get('content-type')).toBe('text/plain; charset=utf-8');
        expect(headers.get('x-content-type-options')).toBe('nosniff');
      }
      expect((await Promise.all(pages.map((page) => page.text()))).join('')).toBe(text);
      expect((await askPage(caller, job, 3)).status).toBe(404);
    }
  });
});
