import { expect, it } from 'vitest';
import { createFile } from '../../../../shared/files/create-file.ts';
import { requireFile } from '../../../../shared/files/find-file.ts';
import { readFile } from '../../../../shared/files/read-file.ts';
import { cases } from '../../../support/run/cases.ts';
import { batchesIn, requestLine as line } from '../../../support/worlds/batch-world.ts';
import { useFreshHour } from '../../../support/worlds/clock.ts';
import { expectBalanced } from '../../../support/worlds/document-use.ts';
import { useDocumentWorld } from '../../../support/worlds/document-world.ts';

const world = await useDocumentWorld();
const batches = batchesIn(world);

useFreshHour();

it('a batch of 50,000 lines and 200 MB has each of its lines answered once', {
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

  await world.work();

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
  await expectBalanced([caller]);
});
