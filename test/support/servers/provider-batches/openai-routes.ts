import { randomUUID } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import { OpenAIError } from '../../../../lib/local/offline-model/openai-error.ts';
import type { BatchRequest, BatchStore, StoredBatch } from './batch-store.ts';
import { failMaking, loseAnswer } from './making.ts';

/** OpenAI's files and batches, as far as batches need them. @see https://platform.openai.com/docs/api-reference/batch */
export function addOpenAIBatches(app: FastifyInstance, store: BatchStore): void {
  app.post('/v1/files', async ({ headers, body }) => {
    const type = headers['content-type'] ?? '';
    const form = await new Response(body as Buffer<ArrayBuffer>, {
      headers: { 'content-type': type },
    }).formData();
    const file = form.get('file');
    if (!(file instanceof File)) throw new OpenAIError(400, "Missing required parameter: 'file'.");
    const content = Buffer.from(await file.arrayBuffer());
    return fileOf(store.addFile(content), content.length, file.name);
  });

  app.get<{ Params: { id: string } }>('/v1/files/:id/content', ({ params: { id } }, reply) => {
    const content = store.files.get(id);
    if (!content) throw new OpenAIError(404, `No such File object: ${id}`);
    return reply.type('application/octet-stream').send(content);
  });

  app.post<{ Body: Record<string, unknown> }>('/v1/batches', ({ body }, reply) => {
    const how = failMaking(store);
    const { input_file_id, endpoint, metadata } = body;
    const input = store.files.get(String(input_file_id));
    if (!input) throw new OpenAIError(400, `No such File object: ${input_file_id}`);
    const requests = requestsIn(input.toString());
    const batch = store.add(`batch_${randomUUID().replaceAll('-', '')}`, requests, {
      ...{ fileId: String(input_file_id), endpoint: String(endpoint) },
      metadata: (metadata ?? null) as Record<string, string> | null,
    });
    return how === 'answer lost' ? loseAnswer(reply) : objectOf(store, batch);
  });

  app.get<{ Querystring: { after?: string; limit?: string } }>('/v1/batches', ({ query }) => {
    const all = store.newestFirst().filter(({ endpoint }) => endpoint !== undefined);
    const from = query.after ? all.findIndex(({ id }) => id === query.after) + 1 : 0;
    const data = all.slice(from, from + Number(query.limit ?? 20));
    return {
      ...{ object: 'list', data: data.map((batch) => objectOf(store, batch)) },
      ...{ first_id: data[0]?.id, last_id: data.at(-1)?.id },
      has_more: from + data.length < all.length,
    };
  });

  const batchNamed = (id: string) => {
    const batch = store.find(id);
    if (!batch) throw new OpenAIError(404, `No batch found with id '${id}'.`);
    return batch;
  };
  app.get<{ Params: { id: string } }>('/v1/batches/:id', ({ params }) =>
    objectOf(store, batchNamed(params.id)),
  );
  app.post<{ Params: { id: string } }>('/v1/batches/:id/cancel', ({ params }) => {
    const batch = batchNamed(params.id);
    store.cancel(batch);
    return objectOf(store, batch);
  });
}

const fileOf = (id: string, bytes: number, filename: string) => ({
  ...{ id, object: 'file', bytes, filename, purpose: 'batch', status: 'processed' },
  created_at: Math.floor(Date.now() / 1000),
});

interface Line {
  custom_id: string;
  url: string;
  body: Record<string, unknown>;
}

const requestsIn = (text: string): BatchRequest[] =>
  text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => {
      const { custom_id: customId, url, body } = JSON.parse(line) as Line;
      return { customId, url, body };
    });

function objectOf(store: BatchStore, batch: StoredBatch) {
  const { id, endpoint, fileId, metadata, requests, answers, cancelledAtMs } = batch;
  const seconds = Math.floor(batch.createdAtMs / 1000);
  const ends = cancelledAtMs === undefined ? 'completed' : 'cancelled';
  const runs = cancelledAtMs === undefined ? 'in_progress' : 'cancelling';
  const { output, error } = answers ? outputsOf(store, batch) : {};
  const counts = { total: requests.length, completed: 0, failed: 0 };
  for (const each of answers ?? []) {
    if (each) counts[each.status === 200 ? 'completed' : 'failed'] += 1;
  }
  return {
    ...{ id, object: 'batch', endpoint, errors: null, input_file_id: fileId, metadata },
    ...{ completion_window: '24h', status: answers ? ends : runs, request_counts: counts },
    ...{ output_file_id: output ?? null, error_file_id: error ?? null },
    ...{ created_at: seconds, expires_at: seconds + 86_400 },
  };
}

/** The two files of results; those of refusals, and of nothing, are in the second. */
function outputsOf(store: BatchStore, batch: StoredBatch): { output?: string; error?: string } {
  if (batch.outputs) return batch.outputs;
  const lines = { output: [] as string[], error: [] as string[] };
  for (const [at, { customId }] of batch.requests.entries()) {
    const answer = batch.answers?.[at];
    if (!answer) continue;
    const { status, body } = answer;
    const response = { status_code: status, request_id: `req_${at}`, body };
    const line = { id: `batch_req_${at}`, custom_id: customId, response, error: null };
    lines[status === 200 ? 'output' : 'error'].push(JSON.stringify(line));
  }
  batch.outputs = {};
  for (const kind of ['output', 'error'] as const) {
    // Results come in any order.
    const text = lines[kind].reverse().join('\n');
    if (text) batch.outputs[kind] = store.addFile(Buffer.from(`${text}\n`));
  }
  return batch.outputs;
}
