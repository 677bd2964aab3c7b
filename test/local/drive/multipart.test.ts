import { buffer } from 'node:stream/consumers';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { readMultipart } from '../../../lib/local/drive/multipart.ts';
import { cutUp } from '../../support/fixtures/cut.ts';

// Content made of what a delimiter is made of, so that near misses are common.
const content = fc
  .array(fc.constantFrom('\r', '\n', '-', '--', 'b', '\r\n--', '\r\n--b', '\r\n--boundar', 'x'))
  .map((pieces) => pieces.join(''))
  .filter((text) => !text.includes('\r\n--boundary'));

it('an upload’s two parts are read whole, wherever the stream is cut', async () => {
  const upload = content.chain((text) => {
    const body =
      '--boundary\r\ncontent-type: application/json\r\n\r\n{"name":"a"}\r\n' +
      `--boundary\r\nContent-Type: text/plain\r\n\r\n${text}\r\n--boundary--`;
    return fc.record({ text: fc.constant(text), pieces: cutUp(Buffer.from(body)) });
  });

  await fc.assert(
    fc.asyncProperty(upload, async ({ text, pieces }) => {
      const stream = (async function* () {
        yield* pieces;
      })();

      const read = await readMultipart(stream, 'multipart/related; boundary="boundary"');

      expect(read.metadata).toEqual({ name: 'a' });
      expect(read.mimeType).toBe('text/plain');
      expect((await buffer(read.content)).toString()).toBe(text);
    }),
  );
});
