import { expect, it } from 'vitest';
import type { OcrResult } from '../../shared/jobs/results/result.ts';
import { crowdedArchive, rawPdf, shadingPage, wordsPage } from '../support/fixtures/poison.ts';
import { greyJpeg, words } from '../support/fixtures/small-documents.ts';
import { call, submit, until } from '../support/servers/api.ts';
import { useOwnStage } from '../support/servers/own-stages.ts';
import { chatStageEnv } from '../support/servers/stage.ts';

const stage = await useOwnStage({ memory: true, env: await chatStageEnv() });

const readOf = (content: object[]) =>
  submit(stage, {
    job_type: 'ocr',
    max_retries: 0,
    inline: { messages: [{ role: 'user', content }] },
  });

const picture = async (grey: number) => ({
  type: 'image_url',
  image_url: {
    url: `data:image/jpeg;base64,${Buffer.from(await greyJpeg(grey)).toString('base64')}`,
  },
});

const pdf = (bytes: Buffer) => ({
  type: 'file',
  file: {
    filename: 'document.pdf',
    file_data: `data:application/pdf;base64,${bytes.toString('base64')}`,
  },
});

it('a page that would hold its worker for minutes costs the jobs beside it nothing', async () => {
  const poison = await readOf([
    pdf(rawPdf([wordsPage(words(1)), shadingPage(20_000), wordsPage(words(3))])),
  ]);
  const neighbours = await Promise.all(
    [10, 60, 110].map(async (grey) =>
      readOf(await Promise.all([0, 10, 20].map((more) => picture(grey + more)))),
    ),
  );

  const ended = await Promise.all(neighbours.map(({ id }) => until(stage, id)));
  const { status, result, retry_count } = await until(stage, poison.id);

  expect(ended.map((job) => [job.status, job.error, job.retry_count])).toEqual(
    neighbours.map(() => ['done', null, 0]),
  );
  const pages = (result as OcrResult).pages.map(({ text, error }) => error ?? text);
  expect({ status, retry_count, pages }).toEqual({
    status: 'done',
    retry_count: 0,
    pages: [
      words(1),
      "unreadable_page: Page 2 can't be read: it takes too long to read.",
      words(3),
    ],
  });
});

it('a file that fills the memory of its reader is refused where it is attached, and a job beside it is done', async () => {
  const content = crowdedArchive(2_600_000).toString('base64');
  const files = [{ name: 'rows.zip', content }];

  const [refused, neighbour] = await Promise.all([
    call(stage, 'POST', '/chat/stream', { message: 'Read.', files }),
    readOf([await picture(90)]),
  ]);

  expect(refused).toMatchObject({
    status: 422,
    body: { detail: [{ loc: ['body', 'files', 0, 'content'] }] },
  });
  expect(await until(stage, neighbour.id)).toMatchObject({ status: 'done', retry_count: 0 });
});
