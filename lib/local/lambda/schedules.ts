import { Cron } from 'croner';
import type { Narrator } from '../narrator.ts';
import { StageError } from '../stage-error.ts';
import type { ResourceNames } from '../template/resource-names.ts';
import { resolve, resourcesOf, type Template } from '../template/template.ts';
import type { EventSource } from './event-sources.ts';
import type { Functions } from './functions.ts';

interface Rule {
  ScheduleExpression: string;
  Targets: { Arn: string; Input?: string }[];
}

/**
 * Starts the template's schedules. A `rate` fires at once and then at its interval, as EventBridge's do. Throws
 * `StageError` for an expression that can't be read.
 */
export function startSchedules(
  template: Template,
  names: ResourceNames,
  functions: Functions,
  narrator: Narrator,
): EventSource[] {
  return resourcesOf(template, 'AWS::Events::Rule').flatMap(([id, { Properties }]) => {
    const { ScheduleExpression, Targets } = resolve(Properties, names) as Rule;
    return Targets.map(({ Arn, Input }) => {
      const fn = functions.find(Arn);
      const event = Input
        ? (JSON.parse(Input) as object)
        : { source: 'aws.events', 'detail-type': 'Scheduled Event', resources: [id] };
      const fire = async () => {
        try {
          await fn.invoke(event);
        } catch (error) {
          narrator.tell('problem', `${fn.config.name}: ${(error as Error).message}`);
        }
      };
      return startSchedule(ScheduleExpression, fire);
    });
  });
}

const unitMs: Record<string, number> = { minute: 60_000, hour: 3_600_000, day: 86_400_000 };

function startSchedule(expression: string, fire: () => Promise<void>): EventSource {
  const [, count, unit = ''] = expression.match(/^rate\((\d+) (minute|hour|day)s?\)$/) ?? [];
  const oneMs = unitMs[unit];
  if (oneMs) {
    void fire();
    const timer = setInterval(fire, Number(count) * oneMs);
    return { stop: () => clearInterval(timer) };
  }
  const [, fields] = expression.match(/^cron\((.+)\)$/) ?? [];
  if (!fields) throw new StageError(`The local stage can't keep the schedule ${expression}.`);
  const job = new Cron(withoutYear(fields), { timezone: 'UTC' }, fire);
  return { stop: () => job.stop() };
}

/**
 * Turns EventBridge's cron fields into the usual ones: there is a sixth, the year, and `?` stands for a day that
 * another field decides.
 * @see https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-scheduled-rule-pattern.html
 */
function withoutYear(fields: string): string {
  return fields.split(' ').slice(0, 5).join(' ').replaceAll('?', '*');
}
