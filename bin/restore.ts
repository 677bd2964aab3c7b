import './catalogue-faults.ts';

import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { CommandError } from '../lib/cli/command-line.ts';
import { progress } from '../lib/cli/progress.ts';
import { completeTable } from '../lib/cli/restore/complete-tables.ts';
import {
  beginRestorations,
  type Restoration,
  restorationsOf,
  untilActive,
} from '../lib/cli/restore/restore-tables.ts';
import { describeRest, describeRestorations } from '../lib/cli/restore/restore-text.ts';
import { storesOf } from '../lib/cli/restore/stack-stores.ts';
import { runProgram } from '../lib/cli/run.ts';
import { farTimeouts, reach } from '../lib/cli/target.ts';
import { runCheck } from '../lib/cli/usage/run-check.ts';

const help = `Restores the tables of a deployed stack to one instant, by point-in-time recovery, each into a new table beside it.

  npm run restore -- --stack NAME --to INSTANT [--dry-run]

  --stack NAME  the deployed stack, with your AWS credentials
  --to INSTANT  as in 2026-11-24T10:00:00Z; within the last 35 days, five minutes ago at the latest
  --dry-run     only say what would be restored
  --help        show this

It waits until the tables are there, which takes from minutes to hours, gives them the stream and the time to live of the old
ones, compares accounts with charges in them as npm run usage -- check does, and says what is left to do. The service goes
on meanwhile, on the old tables. Called again with the same instant it goes on where it stopped. It exits with 1 if
accounts or usage differ. Sessions of chats have no recovery; objects and messages in queues stay as they
are, and are worked on once their queues are adopted.
`;

/** The tables that accounts and usage are checked in. */
const checkedTables = ['KEYS_TABLE', 'LEDGER_TABLE', 'USAGE_TABLE'] as const;

const dynamodb = new DynamoDBClient(farTimeouts);

interface Values {
  stack?: string;
  to?: string;
  'dry-run': boolean;
}

async function restore({ stack, to: given = '', 'dry-run': dryRun }: Values): Promise<void> {
  if (!stack)
    throw new CommandError('--stack is missing: it should be the name of a deployed stack.');
  // An instant without a zone would be one of the operator's machine.
  const to = new Date(/T.*(Z|[+-]\d\d:\d\d)$/.test(given) ? given : Number.NaN);
  if (Number.isNaN(to.getTime())) {
    throw new CommandError('--to should be an instant with its zone, as in 2026-11-24T10:00:00Z.');
  }
  to.setMilliseconds(0);
  await reach({ stack }, ...checkedTables);
  const stores = await storesOf(stack);
  const { restorations, unrestorable } = await restorationsOf(dynamodb, stores.tables, to);
  console.log(describeRestorations(to, restorations, unrestorable));
  if (dryRun) return;
  await makeTables(restorations, to);
  leadTo(restorations);
  const { text, isWrong } = await runCheck();
  console.log(`\nIn the restored tables:\n\n${text}\n`);
  console.log(describeRest(stack, restorations, unrestorable, stores));
  if (isWrong) process.exitCode = 1;
}

async function makeTables(restorations: Restoration[], to: Date): Promise<void> {
  const targets = restorations.map(({ target }) => target);
  await beginRestorations(dynamodb, restorations, to);
  const { note, end } = progress('tables restored', targets.length);
  await untilActive(dynamodb, targets, note);
  end();
  for (const restoration of restorations) await completeTable(dynamodb, restoration);
}

function leadTo(restorations: Restoration[]): void {
  for (const name of checkedTables) {
    const restored = restorations.find(({ source }) => source === process.env[name]);
    if (!restored) throw new CommandError(`The table ${process.env[name]} has no recovery.`);
    process.env[name] = restored.target;
  }
}

const options = {
  stack: { type: 'string' },
  to: { type: 'string' },
  'dry-run': { type: 'boolean', default: false },
} as const;

await runProgram({ call: 'npm run restore', help, options }, ({ values }) => restore(values));
