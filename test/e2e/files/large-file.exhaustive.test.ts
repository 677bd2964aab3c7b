import { createHash } from 'node:crypto';
import OpenAI, { toFile } from 'openai';
import pLimit from 'p-limit';
import { expect, it } from 'vitest';
import { shared } from '../../support/run/shared.ts';
import { newCaller } from '../../support/servers/new-caller.ts';

const stage = await shared('stage');
const { base_url, api_key } = await newCaller(stage);
const client = new OpenAI({ baseURL: `${base_url}/v1`, apiKey: api_key, maxRetries: 0 });

const partBytes = 4 * 2 ** 20;
const count = 50;
/** Each part has other bytes. */
const partOf = (index: number) => Buffer.alloc(partBytes, `{"custom_id":"${index}"}\n`);

it('a file of 200 MB passes in parts, and comes back byte for byte', async () => {
  const upload = await client.uploads.create({
    ...{ filename: 'large.jsonl', purpose: 'batch', mime_type: 'application/jsonl' },
    bytes: count * partBytes,
  });
  const hash = createHash('md5');
  for (let index = 0; index < count; index += 1) hash.update(partOf(index));
  const md5 = hash.digest('hex');

  const parts = await pLimit(4).map(
    Array.from({ length: count }, (_, index) => index),
    async (index) =>
      client.uploads.parts.create(upload.id, { data: await toFile(partOf(index), 'part') }),
  );
  const part_ids = parts.map(({ id }) => id);
  const { file } = await client.uploads.complete(upload.id, { part_ids, md5 });

  expect(file).toMatchObject({ bytes: count * partBytes, purpose: 'batch' });
  const { body } = await client.files.content(file?.id ?? '');
  const read = createHash('md5');
  for await (const piece of body ?? []) read.update(piece);
  expect(read.digest('hex')).toBe(md5);
  expect(await client.files.delete(file?.id ?? '')).toMatchObject({ deleted: true });
});
