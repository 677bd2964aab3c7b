import './catalogue-faults.ts';

import * as v from 'valibot';
import { daysOption, LimitOption, readValues } from '../lib/cli/arguments.ts';
import {
  changesTo,
  readBudget,
  refuseUnknownModels,
  showLimits,
} from '../lib/cli/budget-options.ts';
import { CommandError, confirm, confirmOnTerminal } from '../lib/cli/command-line.ts';
import { keysCommands } from '../lib/cli/keys/commands.ts';
import {
  describeKey,
  describeSecret,
  describeSpenders,
  tabulateKeys,
} from '../lib/cli/keys/keys-text.ts';
import { keyOrders, sortKeys } from '../lib/cli/keys/sort.ts';
import { progress } from '../lib/cli/progress.ts';
import { idMeant, runCommand } from '../lib/cli/run.ts';
import { reach, type Target, whoRuns } from '../lib/cli/target.ts';
import { describeHistory, minuteOf } from '../lib/cli/text.ts';
import { wakeJobs } from '../lib/cli/wake-jobs.ts';
import { changeWebhook, runWebhooks, webhookOf } from '../lib/cli/webhooks/commands.ts';
import { webhookSecret } from '../lib/cli/webhooks/webhooks-text.ts';
import { historyOf, lastChanges } from '../shared/keys/history.ts';
import { changeKey, issueKey, listKeys, readKey } from '../shared/keys/key.ts';
import { defaultLimits, type KeyLimits } from '../shared/keys/key-limits.ts';
import { KeyOptions, RotationOptions } from '../shared/keys/key-options.ts';
import { type KeyRecord, keyRecord } from '../shared/keys/key-record.ts';
import { giveName } from '../shared/keys/name.ts';
import { rotateKey } from '../shared/keys/rotate.ts';
import { listTeams, readTeam } from '../shared/keys/team.ts';
import { deploymentId } from '../shared/ledger/terms/account-ids.ts';
import { lastDays } from '../shared/usage/day.ts';
import { summariesOf } from '../shared/usage/key-summary.ts';
import { topSpenders } from '../shared/usage/spenders.ts';
import type { WebhookRecord } from '../shared/webhooks/webhook.ts';

/** How long the gateway may go by what the authorizer last said of a secret. */
const soon = 'within 60 seconds';

const SortOption = v.object({
  sort: v.optional(
    v.picklist(
      keyOrders,
      ({ input }) =>
        `takes ${keyOrders.slice(0, -1).join(', ')} or ${keyOrders.at(-1)}, not "${input}"`,
    ),
  ),
});

const TopOptions = v.object({ ...daysOption('7').entries, ...LimitOption.entries });

const reachKeys = (target: Target) => reach(target, 'KEYS_TABLE', 'LEDGER_TABLE');

await runCommand(
  keysCommands,
  {
    async create({ values, lists, flags }) {
      const { name, webhook: url, ...asked } = readBudget(KeyOptions, { values, lists });
      if (name === undefined)
        throw new CommandError('create needs a name for the key: --name NAME.');
      const changes = changesTo(defaultLimits, asked);
      const outputs = await reachKeys(values);
      const given = await withTeamId(changes);
      const limits = { ...defaultLimits, ...usualRequests(outputs), ...given };
      refuseUnknownModels(asked, outputs);
      const team = await teamOf(limits);
      await confirm(await doubtsAbout(given, values), flags);
      if (url) await reach(values, 'WEBHOOKS_TABLE');
      const by = await whoRuns(values);
      const key = keyRecord(await giveName(name, () => issueKey(name, limits, undefined, by)));
      const webhook = url ? await changeWebhook(key.id, url, values, outputs) : undefined;
      return withWebhook(key, webhook, `The key is issued. ${describeSecret(key, team, webhook)}`);
    },

    async list({ values }) {
      const { sort } = readValues(SortOption, values);
      await reach(values, 'KEYS_TABLE', 'LEDGER_TABLE', 'JOBS_TABLE');
      const keys = await listKeys();
      const { note, end } = progress('keys', keys.length);
      const summaries = await summariesOf(keys, note);
      end();
      const listed = keys.flatMap((key) => {
        const summary = summaries.get(key.id);
        return summary ? { ...keyRecord(key), ...summary } : [];
      });
      const sorted = sortKeys(listed, sort);
      const teams = sorted.some(({ team }) => team !== null) ? await listTeams() : [];
      return { json: { keys: sorted }, text: tabulateKeys(sorted, teams) };
    },

    async top({ values }) {
      const { days, limit } = readValues(TopOptions, values);
      await reach(values, 'KEYS_TABLE', 'USAGE_TABLE');
      const keys = await listKeys();
      const { note, end } = progress('keys', keys.length);
      const spenders = await topSpenders(keys, lastDays(days), limit, note);
      end();
      return { json: spenders, text: describeSpenders(spenders) };
    },

    async show({ id, values }) {
      const outputs = await reachKeys(values);
      const key = keyRecord(await readKey(id));
      const webhook = await webhookOf(id, values, outputs);
      return withWebhook(key, webhook, describeKey(key, await teamOf(key), webhook));
    },

    async set({ id, values, lists, flags }) {
      const { webhook: url, ...asked } = readBudget(KeyOptions, { values, lists });
      const isChange = Object.keys(asked).length > 0;
      if (!isChange && url === undefined) {
        throw new CommandError('There is nothing to change: give a name or a limit to set.');
      }
      const outputs = await reachKeys(values);
      const changes = changesTo(await readKey(id), await withTeamId(asked));
      refuseUnknownModels(asked, outputs);
      await confirm(await doubtsAbout(changes, values), flags);
      if (url !== undefined) await reach(values, 'WEBHOOKS_TABLE');
      const by = await whoRuns(values);
      const change = () => (isChange ? changeKey(id, changes, by) : readKey(id));
      const { name, ...limits } = changes;
      const key = keyRecord(await (name === undefined ? change() : giveName(name, change, id)));
      const webhook = await changeWebhook(id, url, values, outputs);
      const woken = Object.keys(limits).length > 0 ? await wakeJobs(values, [id]) : '';
      const text = describeKey(key, await teamOf(key), webhook);
      return withWebhook(key, webhook, `Changed; it takes effect ${soon}.${woken}\n\n${text}`);
    },

    webhooks: (args) => runWebhooks('keys', args),

    async limits({ id, values }) {
      await reachKeys(values);
      return showLimits(id ? (await readKey(id)).id : deploymentId, values);
    },

    async rotate({ id, values }) {
      const { grace: graceMs } = readValues(RotationOptions, values);
      await reachKeys(values);
      const key = keyRecord(await rotateKey(id, graceMs, await whoRuns(values)));
      const until = new Date(Date.now() + graceMs).toISOString();
      const end =
        graceMs > 0
          ? `the old one works until ${minuteOf(until)}`
          : `each old one stops working ${soon}`;
      return { json: key, text: `The key has a new secret; ${end}. ${describeSecret(key)}` };
    },

    async revoke({ id, values, flags }) {
      await reachKeys(values);
      const { name } = await readKey(id);
      await confirmOnTerminal([`To revoke: ${name}, for good. Its jobs are stopped.`], flags);
      const key = keyRecord(await changeKey(id, { state: 'revoked' }, await whoRuns(values)));
      return { json: key, text: `Revoked; it stops working ${soon}.\n\n${describeKey(key)}` };
    },

    async history({ id, values }) {
      const { limit } = readValues(LimitOption, values);
      await reachKeys(values);
      const changes = id
        ? await historyOf(await readKey(id), limit)
        : await lastChanges('key', limit);
      return { json: { changes }, text: describeHistory(changes, defaultLimits) };
    },
  },
  async (values) => {
    await reachKeys(values);
    return listKeys();
  },
);

/** The requests a minute of a key for which none are set, as the target's stack says. */
function usualRequests({ RequestsPerMinute }: Record<string, string>): Partial<KeyLimits> {
  return RequestsPerMinute === undefined ? {} : { requests_per_minute: Number(RequestsPerMinute) };
}

/** Puts the id in the place of a team's name. Throws CommandError if there is no such team. */
async function withTeamId<Limits extends Partial<KeyLimits>>(limits: Limits): Promise<Limits> {
  const { team } = limits;
  return team ? { ...limits, team: idMeant(await listTeams(), team, 'team') } : limits;
}

/** Finds a key's team. Throws `NotFoundError` if there is no such team. */
async function teamOf({ team }: Partial<KeyLimits>) {
  return team ? readTeam(team) : undefined;
}

/** Shows a key with its webhook. */
function withWebhook(key: KeyRecord, webhook: WebhookRecord | undefined, text: string) {
  return {
    json: { ...key, ...(webhook && { webhook }) },
    text: `${text}${webhookSecret(webhook)}`,
  };
}

/** Says what of a key's limits is likely a mistake. */
async function doubtsAbout(
  { budget_usd, requests_per_minute, drive_folders = [] }: Partial<KeyLimits>,
  target: Target,
): Promise<string[]> {
  const doubts = [
    ...(budget_usd === 0 ? ['A key with a budget of $0 can pay for nothing.'] : []),
    ...(requests_per_minute === 0 ? ['A key with 0 requests a minute can make none.'] : []),
  ];
  if (drive_folders.length === 0) return doubts;
  const { unknownItems } = await import('../shared/drive/item.ts');
  try {
    await reach(target, 'DRIVE_SECRET');
    const unknown = await unknownItems(drive_folders);
    if (unknown.length > 0) doubts.push(`The drive has no ${unknown.join(', ')} for this service.`);
  } catch (error) {
    console.error(`The Drive folders were not checked: ${(error as Error).message}`);
  }
  return doubts;
}
