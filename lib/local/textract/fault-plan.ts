import * as v from 'valibot';

const defaultStatus: Record<string, number> = {
  ThrottlingException: 500,
  InternalServerError: 500,
};

const Fault = v.pipe(
  v.strictObject({
    /** How many requests fail so. */
    times: v.optional(v.pipe(v.number(), v.integer(), v.minValue(1)), 1),
    /** Only each so-manieth request. */
    every: v.optional(v.pipe(v.number(), v.integer(), v.minValue(1)), 1),
    type: v.optional(v.string(), 'InternalServerError'),
    status: v.optional(v.pipe(v.number(), v.integer(), v.minValue(400))),
    message: v.optional(v.string()),
    /** Breaks the connection: at once, or within the answer. */
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

/** The faults still to come, taken in order. */
export class FaultPlan {
  #faults: { fault: Fault; seen: number; left: number }[] = [];

  add(faults: readonly Fault[]): void {
    this.#faults.push(...faults.map((fault) => ({ fault, seen: 0, left: fault.times })));
  }

  clear(): void {
    this.#faults = [];
  }

  /** The fault of the request that comes now. */
  next(): Fault | undefined {
    const due = this.#faults.find((planned) => ++planned.seen % planned.fault.every === 0);
    if (!due) return undefined;
    due.left -= 1;
    this.#faults = this.#faults.filter(({ left }) => left > 0);
    return due.fault;
  }
}
