import { expect, it } from 'vitest';
import { createFile } from '../../../shared/files/create-file.ts';
import { requireFile } from '../../../shared/files/file.ts';
import { readFile } from '../../../shared/files/read-file.ts';
import { cases } from '../../support/run/cases.ts';
import { batchesIn, requestLine as line } from '../../support/worlds/batch-world.ts';
import { useFreshHour } from '../../support/worlds/clock.ts';
import { expectBalanced } from '../../support/worlds/document-use.ts';
import { useDocumentWorld } from '../../support/worlds/document-world.ts';

const world = await useDocumentWorld();
const batches = batchesIn(world);

useFreshHour();

it('a batch of 50,000 lines and 200 MB is answered line by line, in flat memory', {
  tags: 'exhaustive',
  timeout: 1_800_000,
}, async () => {
  const count = cases(500, 50_000);
  const padding = 'word '.repeat(790);
  const caller = await world.newCaller();
  world.model.respond({ kind: 'answer', content: 'Yes.', usage: null });
  const content = async function* () {
    for (let at = 0; at < count; at += 1) yield Buffer.from(`${line(`id-${at}`, padding)}\n`);
  };
  const file = { filename: 'requests.jsonl', purpose: 'batch' as const };
  const { entry: input_file_id, bytes } = await createFile(caller.keyId, file, content());
  const created = await batches.create(caller, ['x'], { input_file_id });
  const before = process.memoryUsage().rss;
  let most = before;
  const watch = setInterval(() => {
    most = Math.max(most, process.memoryUsage().rss);
  }, 100);

  await world.work();

  clearInterval(watch);
  const batch = await batches.read(caller, created);
  expect(batch).toMatchObject({
    status: 'completed',
    request_counts: { total: count, completed: count, failed: 0 },
  });
  const seen = new Set<string>();
  let rest = '';
  for await (const piece of readFile(await requireFile(caller.keyId, batch.output_file_id ?? ''))) {
    const lines = (rest + Buffer.from(piece).toString()).split('\n');
    rest = lines.pop() ?? '';
    for (const each of lines) seen.add((JSON.parse(each) as { custom_id: string }).custom_id);
  }
  expect(seen.size).toBe(count);
  expect(bytes / count).toBeGreaterThan(4_000);
  // What the process has beside the batch: the model that answers, and what waits to be collected.
  expect((most - before) / 2 ** 20).toBeLessThan(400);
  await expectBalanced([caller]);
});
