import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { clientEnvironment } from '../../lib/local/engines/client-config.ts';
import type { Recognize } from '../../lib/local/textract/recognized-page.ts';
import { readWithTextract } from '../../shared/ocr/textract.ts';
import { poll } from '../support/servers/poll.ts';
import { jpegHeader, pageOf } from '../support/servers/textract.ts';
import {
  type Fault,
  startTestTextract,
  type TestTextract,
} from '../support/servers/textract-faults.ts';

const page = jpegHeader();
const noSignal = new AbortController().signal;
const readsWell: Recognize = async () => pageOf('SUMMARY OF IT', 'All was read\nand agreed.');

let server: TestTextract;
let recognize: Recognize;

beforeAll(async () => {
  server = await startTestTextract({ recognize: (...page) => recognize(...page) });
  Object.assign(process.env, clientEnvironment, { AWS_ENDPOINT_URL_TEXTRACT: server.url });
});
afterAll(() => server.close());

beforeEach(() => {
  recognize = readsWell;
});
afterEach(() => {
  server.faults.clear();
  server.meter.reset();
});

describe('reading a page', () => {
  it('without features detects its text, as plain text', async () => {
    const read = await readWithTextract(page, [], noSignal);

    expect(read.text).toBe('SUMMARY OF IT\n\nAll was read\nand agreed.');
    expect(read.confidence).toBeCloseTo(90);
    expect(server.meter.report().byTarget).toEqual({ DetectDocumentText: 1 });
  });

  it('with features analyzes it, as Markdown', async () => {
    const read = await readWithTextract(page, ['LAYOUT', 'TABLES'], noSignal);

    expect(read.text).toBe('SUMMARY OF IT\n\nAll was read and agreed.');
    expect(server.meter.report().byTarget).toEqual({ AnalyzeDocument: 1 });
  });

  it('of no words says so by a confidence of null', async () => {
    recognize = async () => pageOf();

    expect(await readWithTextract(page, [], noSignal)).toEqual({
      text: '',
      confidence: null,
      words: [],
      turn: 0,
    });
  });
});

describe('what passes is tried again', () => {
  it.each<[string, Fault]>([
    ['a throttle', { type: 'ThrottlingException' }],
    ['a rate exceeded', { type: 'ProvisionedThroughputExceededException' }],
    ['a limit exceeded', { type: 'LimitExceededException' }],
    ['an error of the service', { type: 'InternalServerError' }],
    ['any 5xx', { type: 'Unheard', status: 503 }],
    ['a lost connection', { cut: true }],
    ['an answer that breaks off', { cut: 'midway' }],
  ])('%s', async (_what, fault) => {
    server.faults.add([{ times: 2, ...fault }]);

    const read = await readWithTextract(page, [], noSignal);

    expect(read.text).toContain('All was read');
    expect(server.meter.report().total).toBe(3);
  });

  it.each([
    ['throttles', { type: 'ThrottlingException' }, 429, 'ocr_throttled'],
    ['faults', { type: 'InternalServerError' }, 503, 'ocr_unavailable'],
    ['lost connections', { cut: true }, 503, 'ocr_unavailable'],
  ])('until %s have lasted too long', async (_what, fault, statusCode, code) => {
    server.faults.add([{ times: 1_000, ...fault }]);

    const read = readWithTextract(page, [], noSignal, 300);

    await expect(read).rejects.toMatchObject({ statusCode, code, retryAfterSeconds: 5 });
    expect(server.meter.report().total).toBeGreaterThan(1);
  });
});

describe('what does not pass fails at once', () => {
  it.each([
    ['UnsupportedDocumentException', 422, 'unreadable_page'],
    ['BadDocumentException', 422, 'unreadable_page'],
    ['DocumentTooLargeException', 422, 'unreadable_page'],
    ['InvalidParameterException', 422, 'unreadable_page'],
    ['AccessDeniedException', 500, 'ocr_forbidden'],
  ])('%s', async (type, statusCode, code) => {
    server.faults.add([{ type }]);

    const read = readWithTextract(page, [], noSignal);

    await expect(read).rejects.toMatchObject({ statusCode, code });
    expect(server.meter.report().total).toBe(1);
  });
});

describe('out of time', () => {
  it('while a page is read, it is given up', async () => {
    const outOfTime = new AbortController();
    recognize = (_image, signal) => {
      outOfTime.abort();
      return new Promise((_, reject) => signal.addEventListener('abort', reject));
    };

    const read = readWithTextract(page, [], outOfTime.signal);

    await expect(read).rejects.toMatchObject({ statusCode: 503, code: 'ocr_unavailable' });
    expect(server.meter.report().total).toBe(1);
  });

  it('between two attempts, none is made any more', async () => {
    const outOfTime = new AbortController();
    server.faults.add([{ times: 1_000, type: 'ThrottlingException' }]);
    const read = readWithTextract(page, [], outOfTime.signal);
    await poll(
      () => server.meter.report(),
      ({ total }) => total >= 2,
    );

    outOfTime.abort();

    await expect(read).rejects.toMatchObject({ code: 'ocr_unavailable' });
  });

  it('before it begins, nothing is asked', async () => {
    const read = readWithTextract(page, [], AbortSignal.abort());

    await expect(read).rejects.toMatchObject({ code: 'ocr_unavailable' });
    expect(server.meter.report().total).toBe(0);
  });
});
