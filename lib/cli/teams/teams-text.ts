import type { TeamRecord } from '../../../shared/keys/team.ts';
import type { WebhookRecord } from '../../../shared/webhooks/webhook.ts';
import { aligned, budgetText, dollars, minuteOf } from '../text.ts';
import { webhookRows } from '../webhooks/webhooks-text.ts';

/** Describes a team, one line for each field, and then its keys. */
export function describeTeam(team: TeamRecord, webhook?: WebhookRecord): string {
  const { id, name, budget, keys, created_at } = team;
  const fields = aligned([
    ['id', id],
    ['name', name],
    ['budget', budgetText(team)],
    ...(team.limits?.length ? [['limits beside', team.limits.join(', ')]] : []),
    ['spent', dollars(budget.used_usd)],
    ['held', dollars(budget.held_usd)],
    ['left', leftOf(team)],
    ['resets', budget.reset_at ? minuteOf(budget.reset_at) : 'never'],
    ['created', minuteOf(created_at)],
    ...webhookRows(webhook),
  ]);
  if (keys.length === 0) return `${fields}\n\nNo key is in it.`;
  const rows = keys.map((key) => [key.id, key.name, key.state]);
  return `${fields}\n\n${aligned([['key', 'name', 'state'], ...rows])}`;
}

/** Lists teams, one line for each. */
export function tabulateTeams(teams: readonly TeamRecord[]): string {
  if (teams.length === 0) return 'There are no teams yet.';
  return aligned([
    ['id', 'name', 'keys', 'budget', 'spent', 'held', 'left', 'resets'],
    ...teams.map((team) => [
      team.id,
      team.name,
      String(team.keys.length),
      budgetText(team),
      dollars(team.budget.used_usd),
      dollars(team.budget.held_usd),
      leftOf(team),
      team.budget.reset_at ? minuteOf(team.budget.reset_at) : 'never',
    ]),
  ]);
}

const leftOf = ({ budget }: TeamRecord) =>
  budget.unlimited ? 'no limit' : dollars(budget.remaining_usd);
