import { readValues } from '../lib/cli/arguments.ts';
import { CommandError } from '../lib/cli/command-line.ts';
import { confirm } from '../lib/cli/confirm.ts';
import { keysCommands } from '../lib/cli/keys/commands.ts';
import { describeKey, describeSecret, tabulateKeys } from '../lib/cli/keys/report.ts';
import { describeTry, describeWebhook, tabulateDeliveries } from '../lib/cli/keys/webhooks.ts';
import { runCommand } from '../lib/cli/run.ts';
import { reach, type Target } from '../lib/cli/target.ts';
import { minuteOf } from '../lib/cli/text.ts';
import { changeKey, issueKey, listKeys, readKey } from '../shared/keys/key.ts';
import { defaultLimits, type KeyLimits } from '../shared/keys/key-limits.ts';
import { KeyOptions, RotationOptions } from '../shared/keys/key-options.ts';
import { type KeyRecord, keyRecord } from '../shared/keys/key-record.ts';
import { giveName } from '../shared/keys/name.ts';
import { rotateKey } from '../shared/keys/rotate.ts';
import { catalogue, modelIds } from '../shared/models/catalogue.ts';
import { listDeliveries, redeliver, sendTest, whenTried } from '../shared/webhooks/deliveries.ts';
import {
  findWebhook,
  removeWebhook,
  setWebhook,
  type WebhookRecord,
  webhookRecord,
} from '../shared/webhooks/webhook.ts';

/** How long the gateway may go by what the authorizer last said of a secret. */
const soon = 'within 60 seconds';

const reachKeys = (target: Target) => reach(target, 'KEYS_TABLE', 'LEDGER_TABLE');

await runCommand(keysCommands, {
  async create({ values, flags }) {
    const { name, webhook: url, ...given } = readValues(KeyOptions, values);
    if (name === undefined) throw new CommandError('create needs a name for the key: --name NAME.');
    const limits = { ...defaultLimits, ...given };
    refuseDurationAlone(limits);
    refuseUnknownModels(given, await reachKeys(values));
    await confirm(await doubtsAbout(given, values), flags);
    if (url) await reach(values, 'WEBHOOKS_TABLE');
    const key = keyRecord(await giveName(name, () => issueKey(name, limits)));
    const webhook = url ? await setWebhook(key.id, url) : undefined;
    return withWebhook(key, webhook, `The key is issued. ${describeSecret(key)}`);
  },

  async list({ values }) {
    await reachKeys(values);
    const keys = (await listKeys()).map(keyRecord);
    return { json: { keys }, text: tabulateKeys(keys) };
  },

  async show({ id, values }) {
    const outputs = await reachKeys(values);
    const key = keyRecord(await readKey(id));
    return withWebhook(key, await webhookOf(id, values, outputs), describeKey(key));
  },

  async set({ id, values, flags }) {
    const { webhook: url, ...changes } = readValues(KeyOptions, values);
    const isChange = Object.keys(changes).length > 0;
    if (!isChange && url === undefined) {
      throw new CommandError('There is nothing to change: give a name or a limit to set.');
    }
    const outputs = await reachKeys(values);
    refuseUnknownModels(changes, outputs);
    refuseDurationAlone({ ...(await readKey(id)), ...changes });
    await confirm(await doubtsAbout(changes, values), flags);
    const change = () => (isChange ? changeKey(id, changes) : readKey(id));
    const { name } = changes;
    const key = keyRecord(await (name === undefined ? change() : giveName(name, change, id)));
    if (url !== undefined) await reach(values, 'WEBHOOKS_TABLE');
    if (url === null) await removeWebhook(id);
    const webhook = url ? await setWebhook(id, url) : await webhookOf(id, values, outputs);
    return withWebhook(key, webhook, `Changed; it takes effect ${soon}.\n\n${describeKey(key)}`);
  },

  async webhooks({ id, values, flags }) {
    const { redeliver: event } = values;
    if (event && flags.has('test')) {
      throw new CommandError('--test and --redeliver each send an event: give one of them.');
    }
    await reach(values, 'KEYS_TABLE', 'WEBHOOKS_TABLE');
    await readKey(id);
    if (event || flags.has('test')) {
      const tries = event ? await redeliver(id, event) : await sendTest(id);
      const delivery = await whenTried(tries);
      return { json: delivery, text: describeTry(delivery) };
    }
    const [webhook, deliveries] = await Promise.all([findWebhook(id), listDeliveries(id, 20)]);
    const record = webhook && webhookRecord(webhook);
    return {
      json: { webhook: record ?? null, deliveries },
      text: tabulateDeliveries(record, deliveries),
    };
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

/** Finds a key's webhook; a stack of before there were webhooks has none. */
async function webhookOf(
  id: string,
  target: Target,
  outputs: Record<string, string>,
): Promise<WebhookRecord | undefined> {
  if (!outputs['WebhooksTable']) return undefined;
  await reach(target, 'WEBHOOKS_TABLE');
  const webhook = await findWebhook(id);
  return webhook && webhookRecord(webhook);
}

/** Shows a key with its webhook. */
function withWebhook(key: KeyRecord, webhook: WebhookRecord | undefined, text: string) {
  return {
    json: { ...key, ...(webhook && { webhook }) },
    text: `${text}${describeWebhook(webhook)}`,
  };
}

function refuseDurationAlone({ budget_usd, duration }: KeyLimits): void {
  if (duration === null || budget_usd !== null) return;
  throw new CommandError(
    `The duration ${duration} needs a budget: give --budget-usd too, or --duration none.`,
  );
}

/** Refuses models that the target doesn't serve. What it serves is an output of its stack. */
function refuseUnknownModels(
  { models }: Partial<KeyLimits>,
  outputs: Record<string, string>,
): void {
  const engines = catalogue.ocrEngines.map(({ id }) => id);
  const served = outputs['Models'] ? [...outputs['Models'].split(' '), ...engines] : modelIds;
  const unknown = models?.filter((id) => !served.includes(id)) ?? [];
  if (unknown.length === 0) return;
  throw new CommandError(
    `--models takes models of the catalogue (${served.join(', ')}), not "${unknown.join(', ')}".`,
  );
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
  const { unknownItems } = await import('../shared/drive/known.ts');
  try {
    await reach(target, 'DRIVE_SECRET');
    const unknown = await unknownItems(drive_folders);
    if (unknown.length > 0) doubts.push(`The drive has no ${unknown.join(', ')} for this service.`);
  } catch (error) {
    console.error(`The Drive folders were not checked: ${(error as Error).message}`);
  }
  return doubts;
}
