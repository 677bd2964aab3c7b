import * as v from 'valibot';

const defaultStatus: Record<string, number> = {
  ThrottlingException: 500,
  InternalServerError: 500,
};

const Fault = v.pipe(
  v.strictObject({
    /** How many requests fail. */
    times: v.optional(v.pipe(v.number(), v.integer(), v.minValue(1)), 1),
    /** Only every n-th request fails: the first `every - 1` pass. */
    every: v.optional(v.pipe(v.number(), v.integer(), v.minValue(1)), 1),
    /** The exception that is answered, its HTTP status and its message. */
    type: v.optional(v.string(), 'InternalServerError'),
    status: v.optional(v.pipe(v.number(), v.integer(), v.minValue(400))),
    message: v.optional(v.string()),
    /** Breaks the connection, before the answer or in the middle of it. */
    cut: v.optional(v.union([v.boolean(), v.literal('midway')]), false),
    /** Never answers. */
    hang: v.optional(v.boolean(), false),
  }),
  v.transform((fault) => ({ ...fault, status: fault.status ?? defaultStatus[fault.type] ?? 400 })),
);

/** How a request is made to fail. */
export type Fault = v.InferOutput<typeof Fault>;

/** The body of `POST /faults`. */
export const FaultRequest = v.object({ faults: v.array(Fault) });

interface PlannedFault {
  fault: Fault;
  /** How many requests it has been asked about. */
  seen: number;
  /** How many more requests it makes fail. */
  left: number;
}

/** The faults still to come, in order. */
export class FaultPlan {
  private planned: PlannedFault[] = [];

  add(faults: readonly Fault[]): void {
    this.planned.push(...faults.map((fault) => ({ fault, seen: 0, left: fault.times })));
  }

  clear(): void {
    this.planned = [];
  }

  /** Returns the fault of the request that comes now; undefined if it doesn't fail. */
  next(): Fault | undefined {
    const due = this.planned.find((each) => ++each.seen % each.fault.every === 0);
    if (!due) return undefined;
    due.left -= 1;
    this.planned = this.planned.filter(({ left }) => left > 0);
    return due.fault;
  }
}
