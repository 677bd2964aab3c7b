import { once } from 'node:events';
import { Readable } from 'node:stream';
import { expect, it } from 'vitest';
import { useScriptedDrive } from './scripted-drive.ts';
import { useQuire } from './use-quire.ts';

const pieceBytes = 64 * 1024;
const bytes = 60 * 1024 * 1024;

let sent = 0;
let isHungUp: Promise<unknown>;

const drive = await useScriptedDrive((app) => {
  app.get('/drive/v3/files/:id', (_request, reply) => {
    isHungUp = once(reply.raw, 'close');
    return reply.header('content-length', bytes).send(Readable.from(pieces()));
  });
});
const quire = await useQuire(drive);

function* pieces() {
  for (sent = 0; sent < bytes; sent += pieceBytes) yield Buffer.alloc(pieceBytes, 'quire');
}

/** Lets the event loop turn until the server has sent all that anyone takes. */
async function untilQuiet(): Promise<void> {
  for (let [turns, before] = [0, sent]; turns < 200; turns = sent === before ? turns + 1 : 0) {
    before = sent;
    await new Promise(setImmediate);
  }
}

const file = {
  id: 'large',
  name: 'large.bin',
  mimeType: 'application/octet-stream',
  parents: [],
  contentId: '',
  appProperties: {},
};

it('a download of 60 MB waits on its way until it is read', async () => {
  const { body } = await quire.openContent(file);
  await once(body, 'readable');

  await untilQuiet();
  const ahead = sent;
  let read = 0;
  for await (const piece of body) read += piece.length;

  // What the two ends of a socket hold is the system's: up to 10 MB.
  expect(ahead).toBeLessThan(20 * 1024 * 1024);
  expect(read).toBe(bytes);
});

it('a download that nobody wants any more is hung up', async () => {
  const { body } = await quire.openContent(file);
  await once(body, 'readable');

  body.destroy();

  await isHungUp;
  expect(sent).toBeLessThan(bytes);
});
