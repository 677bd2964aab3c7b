import { describe, expect, it } from 'vitest';
import { shared } from '../../support/run/shared.ts';
import { newCaller } from '../../support/servers/new-caller.ts';

const stage = await shared('stage');
const { base_url, api_key } = await newCaller(stage);

const boundary = 'a5b3c2d1e0f94857a6b5c4d3e2f10987';

/** Writes a form as httpx does, of which openai-python is made. */
const formOf = (...parts: [disposition: string, value: string, type?: string][]) =>
  `${parts
    .map(
      ([disposition, value, type]) =>
        `--${boundary}\r\nContent-Disposition: form-data; ${disposition}\r\n${type ? `Content-Type: ${type}\r\n` : ''}\r\n${value}\r\n`,
    )
    .join('')}--${boundary}--\r\n`;

async function send(path: string, body: string, headers: Record<string, string> = {}) {
  const response = await fetch(`${base_url}${path}`, {
    method: 'POST',
    headers: {
      ...{ authorization: `Bearer ${api_key}`, 'user-agent': 'OpenAI/Python 2.8.0' },
      ...{ 'content-type': `multipart/form-data; boundary=${boundary}`, ...headers },
    },
    body,
  });
  return { status: response.status, body: JSON.parse(await response.text()) };
}

const get = (path: string, headers: Record<string, string> = {}) =>
  fetch(`${base_url}${path}`, { headers: { authorization: `Bearer ${api_key}`, ...headers } });

const file: [string, string, string] = [
  'name="file"; filename="requests.jsonl"',
  '{"custom_id":"1"}\r\n--{"custom_id":"2"}\n',
  'application/octet-stream',
];
const purpose: [string, string] = ['name="purpose"', 'batch'];

describe.concurrent('a form as Python writes it', () => {
  it('makes a file of its very bytes', async () => {
    const { status, body } = await send(
      '/v1/files',
      formOf(
        purpose,
        ['name="expires_after[anchor]"', 'created_at'],
        ['name="expires_after[seconds]"', '7200'],
        file,
      ),
    );

    expect(status).toBe(200);
    expect(body).toEqual({
      ...{ id: expect.stringMatching(/^file-[0-9a-f]{32}$/), object: 'file', bytes: 39 },
      ...{ created_at: expect.any(Number), expires_at: body.created_at + 7200 },
      ...{ filename: 'requests.jsonl', purpose: 'batch', status: 'processed' },
      status_details: null,
    });
    expect(await (await get(`/v1/files/${body.id}/content`)).text()).toBe(file[1]);
  });

  it('takes any name', async () => {
    const names = ['ä "b".txt', 'c.txt'];
    const dispositions = ['filename="ä %22b%22.txt"', "filename*=utf-8''c.txt"];
    for (const [index, disposition] of dispositions.entries()) {
      const part: typeof file = [`name="file"; ${disposition}`, 'x', 'text/plain'];
      const { body } = await send('/v1/files', formOf(part, purpose));
      expect(body.filename).toBe(names[index]);
    }
  });

  it.each([
    ['without a purpose', formOf(file), 'purpose', 'purpose: Field required'],
    ['without a file', formOf(purpose), 'file', 'file: Field required'],
    [
      'with a text for a file',
      formOf(purpose, ['name="file"', 'text']),
      'file',
      'file: Input should be a valid dictionary or object to extract fields from',
    ],
    [
      'for a purpose that callers have not',
      formOf(file, ['name="purpose"', 'batch_output']),
      'purpose',
      expect.stringContaining("purpose: Input should be 'assistants', 'batch', 'fine-tune'"),
    ],
    [
      'that expires too soon',
      formOf(
        file,
        purpose,
        ['name="expires_after[anchor]"', 'created_at'],
        ['name="expires_after[seconds]"', '3599'],
      ),
      'expires_after.seconds',
      'expires_after.seconds: Input should be greater than or equal to 3600',
    ],
    [
      'that has no end',
      formOf(file, purpose).slice(0, -6),
      null,
      'The body is no form: its parts can’t be told apart.',
    ],
    [
      'of too many parts',
      formOf(...Array(30).fill(purpose)),
      null,
      'The body is no form: it should have at most 20 parts.',
    ],
  ])('is refused %s', async (_, form, param, message) => {
    const { status, body } = await send('/v1/files', form);

    expect(status).toBe(400);
    expect(body.error).toMatchObject({ type: 'invalid_request_error', param, message });
  });

  it('is refused as JSON', async () => {
    const { status, body } = await send('/v1/files', '{"purpose":"batch"}', {
      'content-type': 'application/json',
    });

    expect(status).toBe(400);
    expect(body.error.message).toBe(
      'The body is no form: Content-Type should be multipart/form-data with a boundary.',
    );
  });

  it('sends the parts of an upload', async () => {
    const json = { 'content-type': 'application/json' };
    const asked = { filename: 'a', purpose: 'batch', bytes: 6, mime_type: 'text/plain' };
    const upload = await send('/v1/uploads', JSON.stringify(asked), json);
    const path = `/v1/uploads/${upload.body.id}`;
    const part = (text: string) =>
      send(`${path}/parts`, formOf(['name="data"; filename="upload"', text, 'text/plain']));
    const [one, two] = [await part('one'), await part('two')];

    const part_ids = [two.body.id, one.body.id];
    const done = await send(`${path}/complete`, JSON.stringify({ part_ids }), json);

    expect(done).toMatchObject({ status: 200, body: { status: 'completed', file: { bytes: 6 } } });
    const { id } = done.body.file;
    expect(await (await get(`/v1/files/${id}/content`)).text()).toBe('twoone');
    const lost = await get(`/v1/files/${id}/content`, { range: 'bytes=2-4' });
    expect([lost.status, lost.headers.get('content-range'), await lost.text()]).toEqual([
      ...[206, 'bytes 2-4/6', 'oon'],
    ]);
    const rest = await get(`/v1/files/${id}/content`, { range: 'bytes=4-' });
    expect([rest.status, await rest.text()]).toEqual([206, 'ne']);
    expect((await get(`/v1/files/${id}/content`, { range: 'bytes=6-' })).status).toBe(416);
    expect((await get(`/v1/files/${id}/content`, { range: 'lines=1' })).status).toBe(200);
  });

  it('reaches a route that wants JSON as no JSON', async () => {
    const { status, body } = await send('/v1/uploads', formOf(purpose));

    expect(status).toBe(400);
    expect(body.error.message).toMatch(/^JSON decode error/);
  });
});
