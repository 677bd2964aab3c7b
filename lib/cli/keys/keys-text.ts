import type { KeyRecord } from '../../../shared/keys/key-record.ts';
import type { Team } from '../../../shared/keys/team.ts';
import type { KeySummary } from '../../../shared/usage/key-summary.ts';
import type { Spenders } from '../../../shared/usage/spenders.ts';
import type { WebhookRecord } from '../../../shared/webhooks/webhook.ts';
import { aligned, budgetText, dollars, minuteOf } from '../text.ts';
import { webhookRows } from '../webhooks/webhooks-text.ts';

/** Describes a key, one line for each field. */
export function describeKey(
  key: KeyRecord,
  team?: Pick<Team, 'name'>,
  webhook?: WebhookRecord,
): string {
  return aligned([
    ['id', key.id],
    ['name', key.name],
    ['state', key.state],
    ['budget', budgetText(key)],
    ...(key.limits.length > 0 ? [['limits beside', key.limits.join(', ')]] : []),
    ['team', key.team === null ? 'none' : `${team?.name ?? ''} ${key.team}`.trim()],
    ['images per hour', String(key.images_per_hour)],
    ['requests per minute', String(key.requests_per_minute ?? 'no limit')],
    ['requests at once', String(key.max_concurrent ?? 'no limit')],
    ['turns', String(key.weight)],
    ['best priority', String(key.best_priority)],
    ['jobs', String(key.max_queued ?? 'no limit')],
    ['jobs running', String(key.max_running ?? 'no limit')],
    ['models', key.models?.join(', ') ?? 'all'],
    ['Drive folders', key.drive_folders.join(', ') || 'none'],
    ['a research', researchOf(key)],
    ['created', minuteOf(key.created_at)],
    ['expires', expiryOf(key)],
    ...webhookRows(webhook),
  ]);
}

/** Describes a key with its new secret, which is shown only this once. */
export function describeSecret(
  key: KeyRecord,
  team?: Pick<Team, 'name'>,
  webhook?: WebhookRecord,
): string {
  const described = describeKey(key, team, webhook);
  return `The secret, which won't be shown again:\n\n  ${key.api_key}\n\n${described}`;
}

/** Lists keys with how they stand, one line for each; `teams` name the teams that they are in, if any is in one. */
export function tabulateKeys(
  keys: readonly (KeyRecord & KeySummary)[],
  teams: readonly Pick<Team, 'id' | 'name'>[],
): string {
  if (keys.length === 0) return 'There are no keys yet.';
  const names = new Map(teams.map(({ id, name }) => [id, name]));
  const hasTeams = keys.some(({ team }) => team !== null);
  const teamOf = ({ team }: KeyRecord) => (team === null ? '-' : (names.get(team) ?? team));
  return aligned([
    [
      ...['id', 'name', 'state', ...(hasTeams ? ['team'] : []), 'budget', 'spent', 'held'],
      ...['left', 'renews', 'used', 'queued', 'running', 'expires'],
    ],
    ...keys.map((key) => [
      ...[key.id, key.name, key.state, ...(hasTeams ? [teamOf(key)] : []), budgetText(key)],
      ...summaryOf(key),
      ...[String(key.jobs.queued), String(key.jobs.running), expiryOf(key)],
    ]),
  ]);
}

/** Describes the keys that spent most. */
export function describeSpenders({ from, to, total_usd, used, keys }: Spenders): string {
  const days = from === to ? `on ${to}` : `from ${from} to ${to}`;
  if (used === 0) return `No key used anything ${days}.`;
  const share = (usd: number) => (total_usd > 0 ? `${Math.round((usd / total_usd) * 100)} %` : '-');
  const table = aligned([
    ['key', 'name', 'spent', 'share', 'requests', 'failed', 'tokens', 'pages', 'most on'],
    ...keys.map((key) => [
      ...[key.id, key.name, dollars(key.spend_usd), share(key.spend_usd)],
      ...[key.requests, key.failed_requests, key.tokens, key.pages].map(String),
      key.top_model,
    ]),
  ]);
  const keysUsed = used === 1 ? '1 key' : `${used} keys`;
  return `${keysUsed} spent ${dollars(total_usd)} ${days}:\n\n${table}`;
}

function summaryOf({ budget, last_used_at }: KeySummary): string[] {
  const used = last_used_at ? minuteOf(last_used_at) : 'never';
  if (budget === null) return ['-', '-', '-', '-', used];
  const { used_usd, held_usd, remaining_usd, unlimited, reset_at } = budget;
  return [
    dollars(used_usd),
    dollars(held_usd),
    unlimited ? 'no limit' : dollars(remaining_usd),
    reset_at ? minuteOf(reset_at) : 'never',
    used,
  ];
}

const researchOf = ({ research_usd }: KeyRecord) =>
  research_usd === null ? 'no limit of its own' : `up to ${dollars(research_usd)}`;

const expiryOf = ({ expires_at }: KeyRecord) => (expires_at ? minuteOf(expires_at) : 'never');
