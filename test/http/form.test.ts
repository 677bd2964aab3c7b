import type { APIGatewayProxyEvent } from 'aws-lambda';
import { describe, expect, it } from 'vitest';
import { readForm } from '../../shared/http/form.ts';

const read = (body: string | Uint8Array, contentType = 'multipart/form-data; boundary=b') =>
  readForm({
    headers: { 'Content-Type': contentType },
    body: Buffer.from(body).toString('base64'),
    isBase64Encoded: true,
  } as unknown as APIGatewayProxyEvent);

const field = (name: string, value: string, more = '') =>
  `--b\r\nContent-Disposition: form-data; name="${name}"${more}\r\n\r\n${value}\r\n`;
const end = '--b--\r\n';

describe('a form', () => {
  it('has its fields by name, and those in brackets within another', async () => {
    const form = await read(
      `${field('purpose', 'batch')}${field('expires_after[anchor]', 'created_at')}${field('expires_after[seconds]', '3600')}${end}`,
    );

    expect(form).toEqual({
      ...{ purpose: 'batch', expires_after: { anchor: 'created_at', seconds: '3600' } },
    });
  });

  it('has the very bytes of its files', async () => {
    const bytes = Buffer.from(Uint8Array.from({ length: 1000 }, (_, index) => index % 256));
    const head = Buffer.from(field('file', '', '; filename="a"').slice(0, -2));

    const form = await read(Buffer.concat([head, bytes, Buffer.from(`\r\n${end}`)]));

    expect(form['file']).toEqual({ filename: 'a', bytes: new Uint8Array(bytes) });
  });

  it('may have its boundary in quotes', async () => {
    const form = await read(
      field('a', '1') + end,
      'multipart/form-data; charset=utf-8; boundary="b"',
    );

    expect(form).toEqual({ a: '1' });
  });

  it('may have the text of its boundary within a file, but at the begin of a line', async () => {
    const form = await read(field('file', 'b--b ---b\n--b', '; filename="a"') + end);

    expect(form['file']).toEqual({
      filename: 'a',
      bytes: new Uint8Array(Buffer.from('b--b ---b\n--b')),
    });
  });

  it.each([
    ['has a boundary under another name', 'xboundary=b'],
    ['has a boundary without an end', 'boundary="'],
    ['has a boundary longer than any', `boundary=${'b'.repeat(300)}`],
  ])('that %s is a 400', async (_, boundary) => {
    const form = read(field('a', '1') + end, `multipart/form-data; ${boundary}`);

    await expect(form).rejects.toMatchObject({ statusCode: 400, code: 'invalid_form' });
  });

  it.each(['__proto__', '__proto__[polluted]', 'constructor[prototype]', 'a[__proto__]'])(
    'changes no object by the name %s',
    async (name) => {
      await read(field(name, 'x') + end);

      expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
      expect(Object.getPrototypeOf({})).toBe(Object.prototype);
    },
  );

  it.each([
    ['no boundary', '', 'multipart/form-data'],
    ['another type', '{}', 'application/json'],
    ['no type', '{}', ''],
    ['an empty boundary', field('a', '1') + end, 'multipart/form-data; boundary='],
    ['quotes around nothing', field('a', '1') + end, 'multipart/form-data; boundary=""'],
    ['nothing', '', undefined],
    ['no end', field('a', '1'), undefined],
    ['another boundary', (field('a', '1') + end).replaceAll('--b', '--c'), undefined],
    ['too many parts', field('a', '1').repeat(100_000) + end, undefined],
  ])('is refused with %s', async (_, body, type) => {
    await expect(read(body, type)).rejects.toMatchObject({
      ...{ statusCode: 400, code: 'invalid_form' },
      message: expect.stringMatching(/^The body is no form: /),
    });
  });
});
