import { runCommand } from '../lib/cli/run.ts';
import { reach } from '../lib/cli/target.ts';
import { usageCommands } from '../lib/cli/usage/commands.ts';
import { describeRebuild } from '../lib/cli/usage/report.ts';
import { readKey } from '../shared/keys/key.ts';
import { rebuildUsage } from '../shared/usage/rebuild.ts';

await runCommand(usageCommands, {
  async rebuild({ id, values, flags }) {
    const dryRun = flags.has('dry-run');
    await reach(values, 'KEYS_TABLE', 'LEDGER_TABLE', 'USAGE_TABLE');
    await readKey(id);
    const rebuild = await rebuildUsage(id, dryRun);
    return { json: { ...rebuild, dry_run: dryRun }, text: describeRebuild(rebuild, dryRun) };
  },
});
