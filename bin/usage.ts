import './catalogue-faults.ts';

import { readValues } from '../lib/cli/arguments.ts';
import { CommandError } from '../lib/cli/command-line.ts';
import { keysMeant } from '../lib/cli/keys-meant.ts';
import { progress } from '../lib/cli/progress.ts';
import { runCommand } from '../lib/cli/run.ts';
import { reach } from '../lib/cli/target.ts';
import { usageCommands } from '../lib/cli/usage/commands.ts';
import { asCsv, asJson, asTable } from '../lib/cli/usage/export.ts';
import { runCheck } from '../lib/cli/usage/run-check.ts';
import { describeRebuild, readTags } from '../lib/cli/usage/usage-text.ts';
import { listKeys, readKey } from '../shared/keys/key.ts';
import { rebuildUsage } from '../shared/usage/count.ts';
import { CheckOptions, ExportDays } from '../shared/usage/days-options.ts';
import { exportUsage } from '../shared/usage/export.ts';

await runCommand(
  usageCommands,
  {
    async export({ values, lists, flags }) {
      const days = readValues(ExportDays, values);
      const options = { days, by: [...new Set(lists['by'])], where: readTags(lists['tag']) };
      if (days.from > days.to) {
        throw new CommandError(`--from ${days.from} is after --to ${days.to}.`);
      }
      if (flags.has('csv') && flags.has('json')) {
        throw new CommandError('--csv and --json name two formats: give one of them.');
      }
      const format = flags.has('csv') ? asCsv : flags.has('json') ? asJson : asTable;
      await reach(values, 'KEYS_TABLE', 'LEDGER_TABLE');
      const keys = keysMeant(await listKeys(), values['key']);
      // Lines are printed meanwhile, so it keeps to lines of its own.
      const stream = { isTTY: false, write: (text: string) => process.stderr.write(text) };
      const { note } = progress('charges', undefined, stream);
      const lines = exportUsage(keys, options, note);
      return { lines: format(lines, options) };
    },

    async check({ id, values }) {
      const { from } = readValues(CheckOptions, values);
      await reach(values, 'KEYS_TABLE', 'LEDGER_TABLE', 'USAGE_TABLE');
      return runCheck(id, from);
    },

    async rebuild({ id, values, flags }) {
      const dryRun = flags.has('dry-run');
      await reach(values, 'KEYS_TABLE', 'LEDGER_TABLE', 'USAGE_TABLE');
      await readKey(id);
      const rebuild = await rebuildUsage(id, dryRun);
      return { json: { ...rebuild, dry_run: dryRun }, text: describeRebuild(rebuild, dryRun) };
    },
  },
  async (values) => {
    await reach(values, 'KEYS_TABLE', 'LEDGER_TABLE');
    return listKeys();
  },
);
