import type { FastifyInstance } from 'fastify';
import * as v from 'valibot';
import { type FaultPlan, FaultRequest } from './fault-plan.ts';
import type { RequestMeter } from './request-meter.ts';

/** Adds the routes that tests control the server by. The real Textract has none of them. */
export function addControlRoutes(
  app: FastifyInstance,
  { faults, meter }: { faults: FaultPlan; meter: RequestMeter },
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
  app.get('/requests', () => meter.report());
  app.delete('/requests', (_request, reply) => {
    meter.reset();
    return reply.code(204).send();
  });
}
