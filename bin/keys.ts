import { readValues } from '../lib/cli/arguments.ts';
import { CommandError } from '../lib/cli/command-line.ts';
import { keysCommands } from '../lib/cli/keys/commands.ts';
import { describeKey, describeSecret, tabulateKeys } from '../lib/cli/keys/report.ts';
import { runCommand } from '../lib/cli/run.ts';
import { reachTables, type Target } from '../lib/cli/target.ts';
import { minuteOf } from '../lib/cli/text.ts';
import { changeKey, issueKey, listKeys, readKey } from '../shared/keys/key.ts';
import { defaultLimits, type KeyLimits } from '../shared/keys/key-limits.ts';
import { KeyOptions, RotationOptions } from '../shared/keys/key-options.ts';
import { keyRecord } from '../shared/keys/key-record.ts';
import { rotateKey } from '../shared/keys/rotate.ts';

/** How long the gateway may go by what the authorizer last said of a secret. */
const soon = 'within 60 seconds';

const reachKeys = (target: Target) => reachTables(target, 'KEYS_TABLE', 'LEDGER_TABLE');

await runCommand(keysCommands, {
  async create({ values }) {
    const { name, ...given } = readValues(KeyOptions, values);
    if (name === undefined) throw new CommandError('create needs a name for the key: --name NAME.');
    const limits = { ...defaultLimits, ...given };
    refuseDurationAlone(limits);
    await reachKeys(values);
    const key = keyRecord(await issueKey(name, limits));
    return { json: key, text: `The key is issued. ${describeSecret(key)}` };
  },

  async list({ values }) {
    await reachKeys(values);
    const keys = (await listKeys()).map(keyRecord);
    return { json: { keys }, text: tabulateKeys(keys) };
  },

  async show({ id, values }) {
    await reachKeys(values);
    const key = keyRecord(await readKey(id));
    return { json: key, text: describeKey(key) };
  },

  async set({ id, values }) {
    const changes = readValues(KeyOptions, values);
    if (Object.keys(changes).length === 0) {
      throw new CommandError('There is nothing to change: give a name or a limit to set.');
    }
    await reachKeys(values);
    refuseDurationAlone({ ...(await readKey(id)), ...changes });
    const key = keyRecord(await changeKey(id, changes));
    return { json: key, text: `Changed; it takes effect ${soon}.\n\n${describeKey(key)}` };
  },

  async rotate({ id, values }) {
    const { grace: graceMs } = readValues(RotationOptions, values);
    await reachKeys(values);
    const key = keyRecord(await rotateKey(id, graceMs));
    const until = new Date(Date.now() + graceMs).toISOString();
    const end = graceMs > 0 ? `works until ${minuteOf(until)}` : `stops working ${soon}`;
    return {
      json: key,
      text: `The key has a new secret; the old one ${end}. ${describeSecret(key)}`,
    };
  },

  async revoke({ id, values }) {
    await reachKeys(values);
    const key = keyRecord(await changeKey(id, { state: 'revoked' }));
    return { json: key, text: `Revoked; it stops working ${soon}.\n\n${describeKey(key)}` };
  },
});

function refuseDurationAlone({ budget_usd, duration }: KeyLimits): void {
  if (duration === null || budget_usd !== null) return;
  throw new CommandError(
    `The duration ${duration} needs a budget: give --budget-usd too, or --duration none.`,
  );
}
