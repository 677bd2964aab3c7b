import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { withHead } from '../../../shared/jobs/kinds/chat/document-chat.ts';
import { withPageMarks } from '../../../shared/jobs/reading/page-texts.ts';
import type { OcrPage } from '../../../shared/jobs/results/result.ts';
import { greyJpeg, smallPdf, words } from '../../support/fixtures/small-documents.ts';
import { useDocumentWorld } from '../../support/worlds/document-world.ts';

const world = await useDocumentWorld();

const caller = await world.newCaller();

/** Asks about a file of the drive; returns the job's id, and its result's. */
async function ask(file_id: string, pipeline_instruction?: string) {
  const question = pipeline_instruction && { pipeline_instruction };
  const { id } = await world.submit(caller, { job_type: 'chat', drive: { file_id }, ...question });
  await world.work();
  const { status, error, drive_result_file_id } = await world.read(caller, id);
  expect({ status, error }).toEqual({ status: 'done', error: null });
  return { id, resultId: drive_result_file_id ?? '' };
}

/** Asks about a file of the drive; returns the name of the answer. */
const nameOfAnswer = async (file_id: string, question?: string) =>
  world.nameOf((await ask(file_id, question)).resultId);

/** The fields at the head of an answer, and the answer. */
function readAnswer(text: string): { fields: Record<string, string>; answer: string } {
  const [, head = '', answer = ''] = /^---\n([\s\S]*?)\n---\n\n([\s\S]*)$/.exec(text) ?? [];
  const lines = head.split('\n').map((line) => /^(\w+): (".*")$/.exec(line) ?? []);
  return {
    fields: Object.fromEntries(lines.map(([, name, value = '""']) => [name, JSON.parse(value)])),
    answer,
  };
}

describe('an answer beside its source', () => {
  it('begins with the question, the model, the date, the job and the source', async () => {
    const file_id = await world.add('report.txt', 'Two valves were cracked.');

    const { id, resultId } = await ask(file_id, 'What "became" of the valves?\nIn short.');

    expect(await world.nameOf(resultId)).toBe('report.txt.result.md');
    const { fields, answer } = readAnswer(await world.contentOf(resultId));
    expect(fields).toEqual({
      question: 'What "became" of the valves?\nIn short.',
      model: 'gpt-5-mini',
      date: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      job: id,
      source: 'report.txt',
    });
    expect(answer).toMatch(/^echo: What "became"/);
  });

  it('of a pipeline names the job that was submitted', async () => {
    const drive = { file_id: await world.add('named.jpg', await greyJpeg(60)) };
    const submission = { job_type: 'ocr', drive, pipeline: 'ocr_then_chat' };
    const { id } = await world.submit(caller, { ...submission, pipeline_instruction: 'Sum up.' });

    await world.work();

    const resultId = await world.idOf('named.jpg.result.md');
    const { fields } = readAnswer(await world.contentOf(resultId));
    expect(fields).toMatchObject({ job: id, question: 'Sum up.', source: 'named.jpg' });
  });

  it('to another question has a name that says which', async () => {
    const file_id = await world.add('asked.txt', 'Minutes of the board.');

    const questions = [
      'What was agreed?',
      'Who is to act, and by when — for each of the findings of the auditors?',
      '何が合意されましたか？',
      '../../etc/passwd\u0000',
      undefined,
    ];
    const names: string[] = [];
    for (const question of questions) names.push(await nameOfAnswer(file_id, question));

    const hashless = names.map((name) => name.replace(/[0-9a-f]{6}(?=\.result\.md$)/, '#'));
    expect(hashless).toEqual([
      'asked.txt.result.md',
      'asked.txt.who-is-to-act-and-by-when-for-each-of-the-#.result.md',
      'asked.txt.何が合意されましたか-#.result.md',
      'asked.txt.etc-passwd-#.result.md',
      'asked.txt.#.result.md',
    ]);
  });

  it('to the same question has the same name again', async () => {
    const file_id = await world.add('twice.txt', 'Minutes.');

    const names: string[] = [];
    for (const question of ['First?', 'Second?', 'First?', 'Second?']) {
      names.push(await nameOfAnswer(file_id, question));
    }

    expect(names[0]).toBe('twice.txt.result.md');
    expect(names[1]).toMatch(/^twice\.txt\.second-[0-9a-f]{6}\.result\.md$/);
    expect(names.slice(2)).toEqual(names.slice(0, 2));
  });

  it('about a file with a long name has one that a disk can hold', async () => {
    const name = `${'ü'.repeat(110)}.txt`;
    const file_id = await world.add(name, 'Words.');

    await ask(file_id, 'First?');
    const result = await nameOfAnswer(file_id, `Second? ${'long '.repeat(300)}`);

    expect(Buffer.byteLength(result)).toBeLessThanOrEqual(240);
    expect(result).toMatch(/^ü+\.second-(long-)+[0-9a-f]{6}\.result\.md$/);
  });
});

it('the text beside a scan can be split into its pages', async () => {
  const pages = [{ grey: 40 }, { words: words(2) }, { grey: 90 }];
  const drive = { file_id: await world.add('split.pdf', await smallPdf(pages)) };

  const { id } = await world.submit(caller, { job_type: 'ocr', drive });
  await world.work();

  const text = await world.contentOf(await world.idOf('split.pdf.ocr.md'));
  const { result } = await world.read(caller, id);
  const read = (result as { pages: OcrPage[] }).pages;
  expect(splitPages(text)).toEqual(read.map(({ page, text }) => [page, text]));
});

/** Splits as the documentation says. */
function splitPages(markdown: string): [number, string][] {
  const [, ...parts] = markdown.split(/^<!-- page (\d+) -->$/m);
  return parts.flatMap((part, index): [number, string][] =>
    index % 2 === 0 ? [[Number(part), (parts[index + 1] ?? '').trim()]] : [],
  );
}

it('pages can be split whatever is written on them, and come in their order', () => {
  const line = fc.oneof(
    fc.string(),
    fc.constantFrom('<!-- page 1 -->', '<!-- page 77 -->', '-->', '<!--', '---'),
  );
  const text = fc.array(line).map((lines) => lines.join('\n').trim());
  fc.assert(
    fc.property(fc.array(text, { minLength: 1 }), (texts) => {
      const pages = texts.map((each, index) => ({
        page: index + 1,
        source: 'ocr' as const,
        confidence: 90,
        text: each,
      }));

      const split = splitPages(withPageMarks(pages));

      const shown = split.map(([page, each]) => [
        page,
        each.replace(/^\\(?=<!-- page \d+ -->$)/gm, ''),
      ]);
      expect(shown).toEqual(pages.map((each) => [each.page, each.text]));
    }),
  );
});

it('the head of an answer is the same again when it is read, whatever was asked', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (question) => {
      const head = { question, model: 'gpt-5-mini', job: 'job_1', source: 'a.txt' };

      const { fields, answer } = readAnswer(withHead('The answer.', head));

      expect(fields).toMatchObject(head);
      expect(answer).toBe('The answer.');
    }),
  );
});
