import { readValues } from '../lib/cli/arguments.ts';
import { CommandError } from '../lib/cli/command-line.ts';
import { confirm } from '../lib/cli/confirm.ts';
import { refuseDurationAlone } from '../lib/cli/duration-alone.ts';
import { runCommand } from '../lib/cli/run.ts';
import { reach } from '../lib/cli/target.ts';
import { teamsCommands } from '../lib/cli/teams/commands.ts';
import { describeTeam, tabulateTeams } from '../lib/cli/teams/report.ts';
import { listKeys } from '../shared/keys/key.ts';
import { TeamOptions } from '../shared/keys/key-options.ts';
import { giveName } from '../shared/keys/name.ts';
import {
  changeTeam,
  createTeam,
  listTeams,
  readTeam,
  type TeamLimits,
  teamRecord,
  teamsByName,
} from '../shared/keys/team.ts';

await runCommand(teamsCommands, {
  async create({ values, flags }) {
    const { name, ...given } = readValues(TeamOptions, values);
    if (name === undefined) {
      throw new CommandError('create needs a name for the team: --name NAME.');
    }
    const limits = { name, budget_usd: null, duration: null, ...given };
    refuseDurationAlone(limits);
    await reach(values, 'KEYS_TABLE', 'LEDGER_TABLE');
    await confirm(doubtsAbout(given), flags);
    const give = () => createTeam(limits);
    const team = await teamRecord(await giveName(name, give, undefined, teamsByName), []);
    return { json: team, text: `The team is made.\n\n${describeTeam(team)}` };
  },

  async list({ values }) {
    await reach(values, 'KEYS_TABLE', 'LEDGER_TABLE');
    const keys = await listKeys();
    const teams = await Promise.all((await listTeams()).map((team) => teamRecord(team, keys)));
    return { json: { teams }, text: tabulateTeams(teams) };
  },

  async show({ id, values }) {
    await reach(values, 'KEYS_TABLE', 'LEDGER_TABLE');
    const team = await teamRecord(await readTeam(id), await listKeys());
    return { json: team, text: describeTeam(team) };
  },

  async set({ id, values, flags }) {
    const changes = readValues(TeamOptions, values);
    if (Object.keys(changes).length === 0) {
      throw new CommandError('There is nothing to change: give a name, a budget or a duration.');
    }
    await reach(values, 'KEYS_TABLE', 'LEDGER_TABLE');
    refuseDurationAlone({ ...(await readTeam(id)), ...changes });
    await confirm(doubtsAbout(changes), flags);
    const change = () => changeTeam(id, changes);
    const { name } = changes;
    const changed = await (name === undefined ? change() : giveName(name, change, id, teamsByName));
    const team = await teamRecord(changed, await listKeys());
    return { json: team, text: `Changed; it takes effect at once.\n\n${describeTeam(team)}` };
  },
});

/** Says what of a team's budget is likely a mistake. */
function doubtsAbout({ budget_usd }: Partial<TeamLimits>): string[] {
  return budget_usd === 0 ? ['The keys of a team with a budget of $0 can pay for nothing.'] : [];
}
