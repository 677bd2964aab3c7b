import './catalogue-faults.ts';

import { LimitOption, readValues } from '../lib/cli/arguments.ts';
import {
  changesTo,
  readBudget,
  refuseUnknownModels,
  showLimits,
} from '../lib/cli/budget-options.ts';
import { CommandError, confirm } from '../lib/cli/command-line.ts';
import { runCommand } from '../lib/cli/run.ts';
import { reach, type Target, whoRuns } from '../lib/cli/target.ts';
import { teamsCommands } from '../lib/cli/teams/commands.ts';
import { describeTeam, tabulateTeams } from '../lib/cli/teams/teams-text.ts';
import { describeHistory } from '../lib/cli/text.ts';
import { wakeJobs } from '../lib/cli/wake-jobs.ts';
import { changeWebhook, runWebhooks, webhookOf } from '../lib/cli/webhooks/commands.ts';
import { webhookSecret } from '../lib/cli/webhooks/webhooks-text.ts';
import { historyOf, lastChanges } from '../shared/keys/history.ts';
import { listKeys } from '../shared/keys/key.ts';
import { TeamOptions } from '../shared/keys/key-options.ts';
import { giveName } from '../shared/keys/name.ts';
import {
  changeTeam,
  createTeam,
  listTeams,
  readTeam,
  type TeamLimits,
  type TeamRecord,
  teamRecord,
  teamsByName,
} from '../shared/keys/team.ts';
import type { WebhookRecord } from '../shared/webhooks/webhook.ts';

/** A new team has these, and says so only of others. */
const noLimits = { budget_usd: null, duration: null };

const reachTeams = (target: Target) => reach(target, 'KEYS_TABLE', 'LEDGER_TABLE');

await runCommand(
  teamsCommands,
  {
    async create({ values, lists, flags }) {
      const { name, webhook: url, ...asked } = readBudget(TeamOptions, { values, lists });
      if (name === undefined) {
        throw new CommandError('create needs a name for the team: --name NAME.');
      }
      const given = changesTo(noLimits, asked);
      const limits = { name, ...noLimits, ...given };
      const outputs = await reachTeams(values);
      refuseUnknownModels(asked, outputs);
      await confirm(doubtsAbout(given), flags);
      if (url) await reach(values, 'WEBHOOKS_TABLE');
      const by = await whoRuns(values);
      const give = () => createTeam(limits, by);
      const team = await teamRecord(await giveName(name, give, undefined, teamsByName), []);
      const webhook = url ? await changeWebhook(team.id, url, values, outputs) : undefined;
      return shown(team, webhook, 'The team is made.\n\n');
    },

    async list({ values }) {
      await reachTeams(values);
      const keys = await listKeys();
      const teams = await Promise.all((await listTeams()).map((team) => teamRecord(team, keys)));
      return { json: { teams }, text: tabulateTeams(teams) };
    },

    async show({ id, values }) {
      const outputs = await reachTeams(values);
      const team = await teamRecord(await readTeam(id), await listKeys());
      return shown(team, await webhookOf(id, values, outputs));
    },

    async set({ id, values, lists, flags }) {
      const { webhook: url, ...asked } = readBudget(TeamOptions, { values, lists });
      const isChange = Object.keys(asked).length > 0;
      if (!isChange && url === undefined) {
        throw new CommandError(
          'There is nothing to change: give a name, a budget, limits, a duration, a window or a webhook.',
        );
      }
      const outputs = await reachTeams(values);
      const changes = changesTo(await readTeam(id), asked);
      refuseUnknownModels(asked, outputs);
      await confirm(doubtsAbout(changes), flags);
      if (url !== undefined) await reach(values, 'WEBHOOKS_TABLE');
      const by = await whoRuns(values);
      const change = () => (isChange ? changeTeam(id, changes, by) : readTeam(id));
      const { name, ...limits } = changes;
      const changed = await (name === undefined
        ? change()
        : giveName(name, change, id, teamsByName));
      const keys = await listKeys();
      const team = await teamRecord(changed, keys);
      const webhook = await changeWebhook(id, url, values, outputs);
      const members = keys.filter((key) => key.team === id).map((key) => key.id);
      const woken = Object.keys(limits).length > 0 ? await wakeJobs(values, members) : '';
      return shown(team, webhook, `Changed; it takes effect at once.${woken}\n\n`);
    },

    async limits({ id, values }) {
      await reachTeams(values);
      return showLimits((await readTeam(id)).id, values);
    },

    webhooks: (args) => runWebhooks('teams', args),

    async history({ id, values }) {
      const { limit } = readValues(LimitOption, values);
      await reachTeams(values);
      const changes = id
        ? await historyOf(await readTeam(id), limit)
        : await lastChanges('team', limit);
      return { json: { changes }, text: describeHistory(changes, noLimits) };
    },
  },
  async (values) => {
    await reachTeams(values);
    return listTeams();
  },
);

/** Shows a team with its webhook. */
function shown(team: TeamRecord, webhook: WebhookRecord | undefined, said = '') {
  return {
    json: { ...team, ...(webhook && { webhook }) },
    text: `${said}${describeTeam(team, webhook)}${webhookSecret(webhook)}`,
  };
}

/** Says what of a team's budget is likely a mistake. */
function doubtsAbout({ budget_usd }: Partial<TeamLimits>): string[] {
  return budget_usd === 0 ? ['The keys of a team with a budget of $0 can pay for nothing.'] : [];
}
