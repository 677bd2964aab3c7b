import OpenAI from 'openai';
import { describe, expect, it } from 'vitest';
import { anthropicBatches } from '../../../shared/models/batches/anthropic-batches.ts';
import { openaiBatches } from '../../../shared/models/batches/openai-batches.ts';

const { signal } = new AbortController();

/** Reads a batch of which its provider says this. */
function read(told: object, batches = openaiBatches) {
  const answer = { id: 'batch_1', output_file_id: 'file-1', ...told };
  const fetch = async () => Response.json(answer);
  const client = new OpenAI({ apiKey: 'none', baseURL: 'http://provider', maxRetries: 0, fetch });
  return batches.read(client, 'batch_1', signal);
}

describe('a batch whose provider tells its state and files', () => {
  it.each([
    ['no counts', { request_counts: null }, { completed: 0, failed: 0 }],
    ['counts that lack one', { request_counts: { completed: 3 } }, { completed: 3, failed: 0 }],
    ['counts that are text', { request_counts: 'three' }, { completed: 0, failed: 0 }],
    [
      'counts below zero',
      { request_counts: { completed: -4, failed: 1 } },
      { completed: 0, failed: 1 },
    ],
    ['errors that are text', { errors: 'none' }, { completed: 0, failed: 0 }],
    ['errors without a list', { errors: { object: 'list' } }, { completed: 0, failed: 0 }],
  ])('is over when it says so, with %s', async (_, odd, counts) => {
    const batch = await read({ status: 'completed', ...odd });

    expect(batch).toMatchObject({ isOver: true, results: ['file-1'], ...counts });
  });

  it.each([
    ['a text', 'The file is empty.', { code: 'batch_failed', message: 'It failed.' }],
    [
      'a number as its code',
      { data: [{ code: 7, message: 'Bad file.' }] },
      { code: 'batch_failed', message: 'Bad file.' },
    ],
    ['null', null, { code: 'batch_failed', message: 'It failed.' }],
  ])('has failed when it says so, with errors that are %s', async (_, errors, error) => {
    expect(await read({ status: 'failed', errors })).toMatchObject({ isOver: true, error });
  });

  it.each([
    ['no counts', undefined, { completed: 0, failed: 0 }],
    ['counts that lack one', { succeeded: 3 }, { completed: 3, failed: 0 }],
    ['counts that are text', { succeeded: 3, errored: 'one' }, { completed: 3, failed: 0 }],
  ])('of Anthropic’s kind is over when it says so, with %s', async (_, request_counts, counts) => {
    const batch = await read({ processing_status: 'ended', request_counts }, anthropicBatches);

    expect(batch).toMatchObject({ isOver: true, results: ['batch_1'], ...counts });
  });
});
