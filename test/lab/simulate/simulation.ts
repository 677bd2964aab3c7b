import { requestRate } from '../../../lib/stack/settings/request-rates.ts';
import { checkBooks, type Finished } from './check-books.ts';
import { LateQueue } from './late-queue.ts';
import { Bucket, Partitions } from './partitions.ts';
import { type Sandbox, Sandboxes, startProcess } from './sandboxes.ts';
import { Store } from './store.ts';
import { VirtualTime } from './virtual-time.ts';

export interface SimulationOptions {
  /** Calls a second. */
  rate: number;
  keys: number;
  /** The part of the calls that one key makes. */
  hottest: number;
  /** Whether all keys are in one team. */
  inTeam: boolean;
  minutes: number;
  /** The part of all calls that is simulated, against that part of each limit. */
  sample: number;
  callSeconds: number;
  concurrency: number;
  sandboxCalls: number;
  /** How many sweeps there are each minute (`quire:sweeps`). */
  sweeps: number;
  /** Whether sandboxes for all calls are there at the beginning. */
  warm: boolean;
  gatewayRate: number;
  tableUnits: number;
  splitMinutes: number;
  faults: number;
  deaths: number;
  environment: Record<string, string>;
}

/** What a simulation has counted; numbers of calls are those simulated. */
export interface Counts {
  calls: number;
  finished: number;
  refused: Record<string, number>;
  unsettled: number;
  died: number;
  /** From a call's arrival in its sandbox until its upstream may be asked, in ms. */
  waits: number[];
  /** The same for the end of a call. */
  ends: number[];
  /** By half minute: what accounts hold that no running call does. */
  stranded: number[];
  /** By half minute: calls that were begun in it by the hottest key. */
  hottest: number[];
  /** By how many seconds the hottest key's first call was ago, and how many of its parts took holds then. */
  grown: { seconds: number; parts: number }[];
  sweeps: { seconds: number; failed: boolean }[];
  log: Record<string, number>;
}

/** The team of all keys, if there is one. */
export const teamId = 'team_0';

const million = 1_000_000;
const halfMinuteMs = 30_000;
/** Calls, queue and audits are waited for as long. */
const longestAfterMs = 45 * 60_000;

/** Runs calls through the ledger's own code, until each has ended and each account was audited. */
export async function simulate(options: SimulationOptions, tell: (line: string) => void) {
  const { sample } = options;
  const time = new VirtualTime(Date.UTC(2026, 0, 1, 10, 1));
  const partitions = new Partitions(
    {
      partitionWrites: 1_000 * sample,
      partitionReads: 3_000 * sample,
      tableWrites: options.tableUnits * sample,
      splitAfterMs: options.splitMinutes * 60_000,
    },
    time.now,
  );
  const store = new Store(time, partitions, sample);
  const weather = { latencyMs: 5, faults: options.faults };
  const counts: Counts = {
    ...{ calls: 0, finished: 0, refused: {}, unsettled: 0, died: 0, waits: [], ends: [] },
    ...{ stranded: [], hottest: [], grown: [], sweeps: [], log: {} },
  };
  const rest = {
    environment: {
      ...{ LEDGER_TABLE: 'ledger', LATE_CALLS_QUEUE_URL: 'http://late-calls' },
      // A part takes that part of the calls, and so gets busy by as many fewer.
      PART_CALLS_PER_SECOND: String(100 * sample),
      ...options.environment,
    },
    queue: (body: string, delaySeconds: number) => queue.send(body, delaySeconds),
    log: (line: string) => count(counts.log, String(JSON.parse(line).message)),
  };
  const queue = new LateQueue(time, () => operator.ledger);
  const operator = startProcess(time, store, { ...weather, faults: 0 }, rest);
  const sandboxes = new Sandboxes(
    {
      concurrency: options.concurrency * sample,
      rampPer10s: options.warm ? Number.MAX_SAFE_INTEGER : 1_000 * sample,
      callsEach: options.sandboxCalls,
    },
    time,
    store,
    weather,
    rest,
  );
  const own = requestRate('stream', options.concurrency);
  const throttles = {
    'throttle of our own': new Bucket(own.rate * sample, time.now, own.burst * sample),
    "gateway's quota": new Bucket(
      options.gatewayRate * sample,
      time.now,
      (options.gatewayRate / 2) * sample,
    ),
  };
  const finished: Finished[] = [];
  const underWay = new Set<object>();
  let heldByCalls = 0;

  await openAccounts();
  const startMs = time.now;
  const endMs = startMs + options.minutes * 60_000;
  const startedAt = performance.now();
  arrive();
  for (let number = 0; number < options.sweeps; number += 1) sweep(number);
  observe();
  observeParts();
  const isOver = () =>
    time.now > endMs &&
    (time.now > endMs + longestAfterMs ||
      (underWay.size === 0 && queue.waiting.size === 0 && !store.hasAudits()));
  await time.run(isOver);
  const realSeconds = (performance.now() - startedAt) / 1000;
  return {
    counts,
    store,
    partitions,
    sandboxes,
    queue,
    realSeconds,
    books: checkBooks(store, finished, queue.waiting),
  };

  async function openAccounts(): Promise<void> {
    const each =
      (options.rate * sample * options.minutes * 60 * (1 - options.hottest)) / (options.keys - 1);
    const usualUsd = (each * million) / 1_000_000_000;
    let opened = 0;
    const none = { budget_usd: null, duration: null };
    const unlimited = { requests_per_minute: null, max_concurrent: null };
    if (options.inTeam) {
      const at = new Date(time.now).toISOString();
      void operator.ledger.openAccount(teamId, at, { ...none, ...unlimited }, 'all');
    }
    for (let index = 0; index < options.keys; index += 1) {
      // Of ten keys one runs out of its budget halfway, and one has a budget that renews.
      const budget_usd = index % 10 === 3 ? usualUsd / 2 : index % 10 === 7 ? usualUsd / 3 : null;
      const duration = index % 10 === 7 ? `${Math.ceil(options.minutes / 4)}m` : null;
      const limits = { budget_usd, duration, ...unlimited };
      const at = new Date(time.now).toISOString();
      // No more at once than the smallest sample of a table takes, or of the team's partition.
      const everyMs = options.inTeam ? Math.max(10, 2 / sample) : 10;
      time.after(everyMs * (1 + index), async () => {
        await operator.ledger.openAccount(`key_${index}`, at, limits);
        if (options.inTeam) await operator.ledger.putInTeam(`key_${index}`, teamId);
        opened += 1;
      });
    }
    await time.run(() => opened === options.keys);
  }

  /** Calls arrive at random, by the millisecond. */
  function arrive(): void {
    const perMs = (options.rate * sample) / 1000;
    let dueCalls = 0;
    const tick = () => {
      if (time.now >= endMs) return;
      dueCalls += perMs * -Math.log(1 - Math.random());
      for (; dueCalls >= 1; dueCalls -= 1) begin();
      time.after(1, tick);
    };
    tick();
  }

  function begin(): void {
    counts.calls += 1;
    const isHottest = Math.random() < options.hottest;
    const key = isHottest ? 0 : 1 + Math.floor(Math.random() * (options.keys - 1));
    for (const [name, bucket] of Object.entries(throttles)) {
      if (bucket.has(1, time.now)) continue;
      count(counts.refused, name);
      return;
    }
    for (const bucket of Object.values(throttles)) bucket.take(1);
    const sandbox = sandboxes.take();
    if (!sandbox) {
      count(counts.refused, "Lambda's sandboxes");
      return;
    }
    const call = {};
    sandbox.calls.set(call, 0);
    underWay.add(call);
    void serve(sandbox, call, `key_${key}`).finally(() => {
      heldByCalls -= sandbox.calls.get(call) ?? 0;
      sandboxes.giveBack(sandbox, call);
      underWay.delete(call);
    });
  }

  async function serve(sandbox: Sandbox, call: object, keyId: string): Promise<void> {
    const { ledger, client } = sandbox;
    const most = Math.floor(million * (1 + 2 * Math.random()));
    const arrivedMs = time.now;
    const dies = Math.random() < options.deaths;
    const upstreamMs = options.callSeconds * 1000 * (0.5 + -0.5 * Math.log(1 - Math.random()));
    if (dies) time.after(upstreamMs + 60 * (Math.random() - 0.3), () => kill(sandbox));
    let hold: Awaited<ReturnType<typeof ledger.reserve>>;
    try {
      hold = await ledger.reserve(keyId, most, { model: 'gpt-5.1-mini', tags: ['chat'] });
    } catch (error) {
      const { code, name } = error as { code?: string; name: string };
      if (keyId === 'key_0') count(counts.refused, `${code ?? name}, hottest key`);
      else count(counts.refused, code ?? name);
      return;
    }
    if (client.isDead) return;
    sandbox.calls.set(call, most);
    heldByCalls += most;
    counts.waits.push(time.now - arrivedMs);
    const half = Math.floor((time.now - startMs) / halfMinuteMs);
    if (keyId === 'key_0') counts.hottest[half] = (counts.hottest[half] ?? 0) + 1;
    await time.sleep(upstreamMs);
    if (client.isDead) return;
    const cost = Math.floor(Math.random() * Math.min(most, million * 2));
    const endedMs = time.now;
    try {
      await ledger.settle(hold, {
        ...{ costNanoUsd: cost, figures: 'exact', promptTokens: 900, completionTokens: 200 },
      } as const);
    } catch {
      counts.unsettled += 1;
      return;
    }
    counts.ends.push(time.now - endedMs);
    counts.finished += 1;
    finished.push({ keyId: hold.charge.key_id, entry: hold.charge.entry, cost });
  }

  function kill(sandbox: Sandbox): void {
    if (sandbox.client.isDead) return;
    const { calls, held } = sandboxes.kill(sandbox);
    counts.died += calls;
    heldByCalls -= held;
    for (const call of sandbox.calls.keys()) underWay.delete(call);
    sandbox.calls.clear();
  }

  /** The sweep of a minute is left out while its own of the minute before is at work. */
  function sweep(number: number): void {
    let isAtWork = false;
    const tick = async () => {
      time.after(60_000, tick);
      if (isAtWork) return;
      isAtWork = true;
      const fromMs = time.now;
      const failed = await operator.ledger.sweepLedger({ sweep: number, of: options.sweeps }).then(
        () => false,
        () => true,
      );
      counts.sweeps.push({ seconds: (time.now - fromMs) / 1000, failed });
      isAtWork = false;
    };
    time.after(60_000, tick);
  }

  /** Notes when the hottest key's account gets more parts, or takes holds by fewer. */
  function observeParts(): void {
    const tick = () => {
      time.after(100, tick);
      const { open_parts: parts = 1 } = store.find('key_0', 'account') ?? {};
      if (parts === (counts.grown.at(-1)?.parts ?? 1)) return;
      counts.grown.push({ seconds: (time.now - startMs) / 1000, parts: Number(parts) });
    };
    tick();
  }

  function observe(): void {
    const tick = () => {
      time.after(halfMinuteMs, tick);
      counts.stranded.push(Math.max(0, store.held - heldByCalls));
      const minutes = ((time.now - startMs) / 60_000).toFixed(1);
      tell(`minute ${minutes}: ${counts.finished} calls finished, ${underWay.size} under way`);
    };
    time.after(halfMinuteMs, tick);
  }
}

function count(counts: Record<string, number>, name: string): void {
  counts[name] = (counts[name] ?? 0) + 1;
}
