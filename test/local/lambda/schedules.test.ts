import { expect, it } from 'vitest';
import type { Functions } from '../../../lib/local/lambda/functions.ts';
import { startSchedules } from '../../../lib/local/lambda/schedules.ts';
import { Narrator } from '../../../lib/local/narrator.ts';
import { ResourceNames } from '../../../lib/local/template/resource-names.ts';

it('a schedule gives each of its targets what the template has for it, or the usual event', () => {
  const events: object[] = [];
  const fn = { config: { name: 'sweep' }, invoke: async (event: object) => events.push(event) };
  const functions = { find: () => fn } as unknown as Functions;
  const Targets = [{ Arn: 'sweep' }, { Arn: 'sweep', Input: '{"sweep":1,"of":2}' }];
  const Properties = { ScheduleExpression: 'rate(1 minute)', Targets };
  const template = { Resources: { each: { Type: 'AWS::Events::Rule', Properties } } };

  const started = startSchedules(
    template,
    new ResourceNames(template, 'test'),
    functions,
    new Narrator(() => {}),
  );
  for (const each of started) each.stop();

  expect(events).toEqual([
    { source: 'aws.events', 'detail-type': 'Scheduled Event', resources: ['each'] },
    { sweep: 1, of: 2 },
  ]);
});
