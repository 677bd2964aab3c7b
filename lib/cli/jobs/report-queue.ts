import type { QueueReport } from '../../../shared/jobs/operators/queue-report.ts';
import type { Redrive } from '../../../shared/jobs/operators/redrive.ts';
import { aligned, printable } from '../text.ts';

/** Describes what waits: a line for each lane, then one for each priority and key. */
export function describeQueue({ lanes, waiting }: QueueReport, now: number): string {
  const byQueue = aligned([
    [
      ...['lane', 'ready', 'later', 'running', 'oldest', 'ended a minute'],
      ...['messages', 'delayed', 'in flight', 'dead letters'],
    ],
    ...lanes.map(({ messages, ...lane }) => [
      ...[lane.lane, String(lane.ready), String(lane.later), String(lane.running)],
      ...[ageOf(lane.oldest_at, now), String(Math.round(lane.ended_per_minute * 10) / 10)],
      ...[messages.visible, messages.delayed, messages.in_flight, messages.dead].map(String),
    ]),
  ]);
  if (waiting.length === 0) return `${byQueue}\n\nNothing waits.`;
  const byKey = aligned([
    ['lane', 'priority', 'key', 'name', 'ready', 'later', 'oldest'],
    ...waiting.map((group) => [
      ...[group.lane, String(group.priority), group.key_id, printable(group.key_name)],
      ...[String(group.ready), String(group.later), ageOf(group.oldest_at, now)],
    ]),
  ]);
  return `${byQueue}\n\n${byKey}`;
}

/** Describes the outcome of a redrive. */
export function describeRedrive(lanes: readonly Redrive[]): string {
  return aligned([
    ['lane', 'dead letters moved back', 'jobs woken', 'jobs rung for'],
    ...lanes.map(({ lane, moved, woken, rung }) => [lane, ...[moved, woken, rung].map(String)]),
  ]);
}

function ageOf(at: string | null, now: number): string {
  if (at === null) return '-';
  const seconds = Math.max(0, Math.round((now - Date.parse(at)) / 1000));
  if (seconds < 120) return `${seconds} s`;
  const minutes = Math.round(seconds / 60);
  return minutes < 120 ? `${minutes} min` : `${Math.round(minutes / 60)} h`;
}
