const usualStatus: Record<string, number> = { ThrottlingException: 500, InternalServerError: 500 };

/** How requests are made to fail. */
export interface Fault {
  /** How many requests fail, by default one. */
  times?: number;
  /** Only every n-th request fails: the first `every - 1` pass. */
  every?: number;
  /** The exception that is answered, by default `InternalServerError`, its HTTP status and its message. */
  type?: string;
  status?: number;
  message?: string;
  /** Breaks the connection, before the answer or in the middle of it. */
  cut?: boolean | 'midway';
  /** Never answers. */
  hang?: boolean;
}

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
    this.planned.push(...faults.map((fault) => ({ fault, seen: 0, left: fault.times ?? 1 })));
  }

  clear(): void {
    this.planned = [];
  }

  /** Returns the fault of the request that comes now; undefined if it doesn't fail. */
  next(): Fault | undefined {
    const due = this.planned.find((each) => ++each.seen % (each.fault.every ?? 1) === 0);
    if (!due) return undefined;
    due.left -= 1;
    this.planned = this.planned.filter(({ left }) => left > 0);
    return due.fault;
  }
}

/** Returns the exception that a fault answers, and its status. */
export function exceptionOf({ type = 'InternalServerError', status }: Fault) {
  return { type, status: status ?? usualStatus[type] ?? 400 };
}
