/** Units that flow in by the second, and are kept up to a burst: by default those of one second. */
export class Bucket {
  private units: number;
  private atMs: number;
  private readonly perSecond: number;
  private readonly burst: number;

  constructor(perSecond: number, nowMs: number, burst = perSecond) {
    this.units = burst;
    this.atMs = nowMs;
    this.perSecond = perSecond;
    this.burst = burst;
  }

  has(units: number, nowMs: number): boolean {
    const more = ((nowMs - this.atMs) / 1000) * this.perSecond;
    this.units = Math.min(this.burst, this.units + more);
    this.atMs = nowMs;
    return this.units >= Math.min(units, this.burst);
  }

  take(units: number): void {
    this.units -= units;
  }
}

/** What DynamoDB takes in a second. */
export interface Limits {
  partitionWrites: number;
  partitionReads: number;
  tableWrites: number;
  /** How long the items of a key must have been throttled for, in ms, until its account has a partition of its own. */
  splitAfterMs: number;
}

/** One write of units, where it falls. */
export interface Load {
  key: string;
  entry: string;
  units: number;
}

/**
 * Partitions as DynamoDB's documents tell of them: each takes 1,000 write units and 3,000 read units a second, whatever was
 * left unused before, as burst capacity doesn't lift that bound. The items of one key lie in one partition, until it has
 * been too hot for minutes. Then they are split by their sort key, of which one item may stand alone. Sort keys that grow,
 * as those of charges do, are not split further: all that is new falls into the last part.
 *
 * @see https://repost.aws/knowledge-center/dynamodb-spiky-workloads-short-intervals
 * @see https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/burst-adaptive-capacity.html
 */
export class Partitions {
  splits = 0;
  private readonly writes = new Map<string, Bucket>();
  private readonly reads = new Map<string, Bucket>();
  /** The seconds in which a key was throttled; `apart` once its account stands alone. */
  private readonly heat = new Map<string, { seconds: Set<number>; apart: boolean }>();
  private readonly table: Bucket;
  private readonly limits: Limits;

  constructor(limits: Limits, nowMs: number) {
    this.limits = limits;
    this.table = new Bucket(limits.tableWrites, nowMs);
  }

  /** Takes the units of a write, or returns whose limit refuses it: then it takes none. */
  write(loads: Load[], nowMs: number): 'partition' | 'table' | undefined {
    const units = loads.reduce((sum, load) => sum + load.units, 0);
    if (!this.table.has(units, nowMs)) return 'table';
    const buckets = loads.map((load) => this.writesOf(load, nowMs));
    const hot = loads.findIndex((load, index) => !buckets[index]?.has(load.units, nowMs));
    if (hot >= 0) {
      this.heatUp((loads[hot] as Load).key, nowMs);
      return 'partition';
    }
    this.table.take(units);
    for (const [index, load] of loads.entries()) buckets[index]?.take(load.units);
    return undefined;
  }

  /** Takes the units of a read, whose size is only known after it. */
  read(key: string, units: number, nowMs: number): boolean {
    const bucket = this.reads.get(key) ?? new Bucket(this.limits.partitionReads, nowMs);
    this.reads.set(key, bucket);
    if (!bucket.has(0.5, nowMs)) return false;
    bucket.take(units);
    return true;
  }

  private writesOf({ key, entry }: Load, nowMs: number): Bucket {
    const id = this.heat.get(key)?.apart && entry === 'account' ? `${key} account` : key;
    const bucket = this.writes.get(id) ?? new Bucket(this.limits.partitionWrites, nowMs);
    this.writes.set(id, bucket);
    return bucket;
  }

  private heatUp(key: string, nowMs: number): void {
    const heat = this.heat.get(key) ?? { seconds: new Set<number>(), apart: false };
    this.heat.set(key, heat);
    if (heat.apart) return;
    heat.seconds.add(Math.floor(nowMs / 1000));
    if (heat.seconds.size * 1000 < this.limits.splitAfterMs) return;
    heat.apart = true;
    heat.seconds.clear();
    this.splits += 1;
  }
}
