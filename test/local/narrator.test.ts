import { stripVTControlCharacters } from 'node:util';
import { beforeEach, describe, expect, it } from 'vitest';
import { Narrator } from '../../lib/local/narrator.ts';

let lines: string[];
let narrator: Narrator;

beforeEach(() => {
  lines = [];
  narrator = new Narrator((line) => {
    // Without the time of day, and with any duration as `N ms`.
    lines.push(
      stripVTControlCharacters(line)
        .slice(9)
        .replace(/\d+ ms/, 'N ms'),
    );
  });
});

const log = (fields: object) => narrator.functionLine('a function', JSON.stringify(fields));
const use = { prompt_tokens: 120, completion_tokens: 48, cost_usd: 0.00013 };

describe('a request', () => {
  const begin = () => narrator.request('r1', 'POST', '/v1/chat/completions');
  const described = (fields: object = {}) =>
    log({ level: 'info', message: 'request', request_id: 'r1', key_id: 'key_1', ...fields });
  const whole = '200 POST /v1/chat/completions N ms shop gpt-5-mini 120+48 tokens $0.00013';

  it('is one line, with what the function says of it, whichever comes first', async () => {
    for (const functionFirst of [true, false]) {
      const line = begin();
      line.calledBy({ keyName: 'shop' });
      line.awaits(new Promise(() => {}));
      if (functionFirst) described({ model: 'gpt-5-mini', ...use });
      await line.answered(200, true);
      if (!functionFirst) described({ model: 'gpt-5-mini', ...use });
    }

    expect(lines).toEqual([whole, whole]);
  });

  it('that hung up is a line once its function is done', async () => {
    const line = begin();
    line.awaits(new Promise(() => {}));
    await line.answered(200, false);
    const before = [...lines];
    described({ key: 'shop', model: 'gpt-5-mini', ...use });

    expect(before).toEqual([]);
    expect(lines).toEqual([
      'hung up POST /v1/chat/completions N ms shop gpt-5-mini 120+48 tokens $0.00013',
    ]);
  });

  it('that is refused says why', async () => {
    const line = begin();
    line.awaits(new Promise(() => {}));
    described({ key: 'shop', error: 'model_not_found: The model x does not exist.' });
    await line.answered(404, true);

    expect(lines).toEqual([
      '404 POST /v1/chat/completions N ms shop: model_not_found: The model x does not exist.',
    ]);
  });

  it.each([
    [{ refused: 'malformed' }, ': no API key, or a malformed one'],
    [{ refused: 'unknown' }, ': no such API key'],
    [{ refused: 'expired', keyName: 'shop' }, ' shop: the key has expired'],
  ])('of a wrong key is one line: %j', async (context, text) => {
    const line = begin();
    line.calledBy(context);
    await line.answered(401, true);

    expect(lines).toEqual([`401 POST /v1/chat/completions N ms${text}`]);
  });

  it('whose function has said nothing is a line all the same', async () => {
    const line = begin();
    line.awaits(Promise.reject(new Error('killed')));
    await line.answered(502, true);

    await expect.poll(() => lines).toEqual(['502 POST /v1/chat/completions N ms']);
  });

  it('steers no terminal', async () => {
    const line = narrator.request('r1', 'GET', '/a\u001b[2J');
    line.calledBy({ keyName: 'shop\nfake line' });
    await line.answered(404, true);

    expect(lines).toEqual(['404 GET /a [2J N ms shop fake line']);
  });
});

describe('a job’s end', () => {
  const ended = (fields: object) => log({ level: 'info', message: 'job ended', ...fields });

  it.each([
    [
      { status: 'done', job_type: 'chat', key: 'shop', model: 'gpt-5-mini', ...use },
      'done chat shop gpt-5-mini 120+48 tokens $0.00013',
    ],
    [
      {
        status: 'done',
        job_type: 'ocr',
        job_id: '3f0c',
        pages: 20,
        pages_total: 20,
        cost_usd: 1.5,
      },
      'done ocr 3f0c 20 pages $1.50',
    ],
    [
      {
        ...{ status: 'failed', job_type: 'ocr', job_id: '9b1d', key: 'shop' },
        ...{ error: 'textract: throttled', retries: 2, pages: 14, pages_total: 20 },
      },
      'failed ocr 9b1d shop: textract: throttled after 2 retries, 14 of 20 pages',
    ],
    [{ status: 'cancelled', job_type: 'auto', key: 'shop' }, 'cancelled auto shop'],
    [
      {
        ...{ status: 'done', job_type: 'ocr', job_id: '77aa' },
        ...{ files: 42, files_failed: 8, files_total: 50 },
      },
      'done ocr 77aa 42 of 50 files, 8 failed',
    ],
    [
      { status: 'done', job_type: 'auto', job_id: '77aa', files: 3, files_total: 3, retries: 1 },
      'done auto 77aa after 1 retry 3 files',
    ],
  ])('is one line', (fields, line) => {
    ended(fields);

    expect(lines).toEqual([line]);
  });

  it('is told once, by its last line', () => {
    for (const status of ['started', 'queued', 'done']) {
      log({ level: 'info', message: `job ${status}`, job_id: 'job_1' });
    }

    expect(lines).toEqual([]);
  });
});

it('metrics are left out, and other lines made readable', () => {
  log({ _aws: {}, Requests: 1 });
  log({ level: 'warn', message: 'upstream failed', function: 'f', error: 'busy' });
  narrator.functionLine('f', 'plain');

  expect(lines).toEqual(['upstream failed error=busy', 'f plain']);
});
