import { expect, it } from 'vitest';
import { batchesIn } from '../../../support/worlds/batch-world.ts';
import { useFreshHour } from '../../../support/worlds/clock.ts';
import { expectBalanced } from '../../../support/worlds/document-use.ts';
import { useDocumentWorld } from '../../../support/worlds/document-world.ts';
import { chargesOf } from '../../../support/worlds/ledger-world.ts';

const world = await useDocumentWorld();
const batches = batchesIn(world);

useFreshHour();

const line = (custom_id: string, body: object) =>
  JSON.stringify({
    ...{ custom_id, method: 'POST', url: '/v1/responses' },
    body: { model: 'gpt-4.1-mini', input: `question ${custom_id}`, ...body },
  });

it('a batch asks for responses, and answers as that route does', async () => {
  const caller = await world.newCaller();

  const batch = await batches.run(caller, [line('a', {}), line('b', { store: false })], {
    endpoint: '/v1/responses',
  });

  expect(batch).toMatchObject({ status: 'completed', request_counts: { total: 2, completed: 2 } });
  const outputs = await batches.outputs(caller, batch);
  expect(outputs[0]).toMatchObject({
    custom_id: 'a',
    response: {
      status_code: 200,
      body: { object: 'response', status: 'completed', output: [{ type: 'message' }] },
    },
  });
  expect(JSON.stringify(outputs[1])).toContain('echo: question b');
  expect(await chargesOf(caller.keyId)).toHaveLength(2);
  await expectBalanced([caller]);
});

it('a batch of responses that would need a conversation fails before anything is spent', async () => {
  const caller = await world.newCaller();

  const batch = await batches.run(caller, [line('a', { previous_response_id: 'resp_1' })], {
    endpoint: '/v1/responses',
  });

  expect(batch).toMatchObject({
    status: 'failed',
    errors: { data: [{ line: 1, param: 'body.previous_response_id' }] },
  });
  expect(await chargesOf(caller.keyId)).toEqual([]);
});
