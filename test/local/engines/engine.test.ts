import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, it, vi } from 'vitest';
import { startEngineThread } from '../../../lib/local/engines/engine.ts';
import { useFolder } from '../../support/run/use-folder.ts';

const folder = useFolder();

/** Writes an engine's thread; it obeys what it is told. */
function threadOf(name: string, start = `parentPort.postMessage({ url: 'http://127.0.0.1' });`) {
  const file = join(folder, `${name}-thread.ts`);
  const code = `import { parentPort } from 'node:worker_threads';
    parentPort.on('message', ({ fail, exit }) => {
      if (fail) throw new Error(fail);
      process.exit(exit);
    });
    ${start}`;
  writeFileSync(file, code);
  return pathToFileURL(file);
}

it.each([
  [
    { fail: 'The disk is full' },
    /^The engine harbour stopped by itself: Error: The disk is full\n/,
  ],
  [{ exit: 3 }, /^The engine harbour stopped by itself: it ended with 3$/],
])(
  'an engine that dies of %j is reported with its name, and can still be closed',
  async (end, reason) => {
    const onDeath = vi.fn();
    const engine = await startEngineThread(threadOf('harbour'), {}, onDeath);

    engine.tell(end);
    await vi.waitFor(() => expect(onDeath).toHaveBeenCalled());
    await engine.close();

    expect(onDeath.mock.calls).toEqual([[expect.stringMatching(reason)]]);
  },
);

it('an engine that is closed does not die by itself', async () => {
  const onDeath = vi.fn();
  const engine = await startEngineThread(threadOf('quay'), {}, onDeath);

  await engine.close();

  expect(engine.url).toBe('http://127.0.0.1');
  expect(onDeath).not.toHaveBeenCalled();
});

it.each([
  [`throw new Error('No room');`, 'No room'],
  ['process.exit(2);', 'The engine pier ended at its start with code 2.'],
])('an engine that begins with %j does not start', async (start, reason) => {
  const onDeath = vi.fn();

  await expect(startEngineThread(threadOf('pier', start), {}, onDeath)).rejects.toThrow(reason);

  expect(onDeath).not.toHaveBeenCalled();
});
