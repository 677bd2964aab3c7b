import type { FastifyInstance } from 'fastify';
import * as v from 'valibot';
import { type FaultPlan, FaultRequest } from './fault-plan.ts';
import type { Traffic } from './request-meter.ts';

/** Adds what tests ask of the server beside Textract's own. */
export function addControls(
  app: FastifyInstance,
  { faults, traffic }: { faults: FaultPlan; traffic: Traffic },
): void {
  app.post('/faults', (request, reply) => {
    const read = v.safeParse(FaultRequest, request.body);
    if (!read.success) return reply.code(422).send({ error: v.flatten(read.issues) });
    faults.add(read.output.faults);
    return reply.code(204).send();
  });
  app.delete('/faults', (_request, reply) => {
    faults.clear();
    return reply.code(204).send();
  });
  app.get('/requests', () => traffic.report());
  app.delete('/requests', (_request, reply) => {
    traffic.reset();
    return reply.code(204).send();
  });
}
