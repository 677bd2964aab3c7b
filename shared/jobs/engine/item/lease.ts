/**
 * How long a worker may hold a job without renewing its lease. Then the sweep puts the job back for another worker. A sweep
 * whose clock is 30 seconds ahead must not take a job from a worker that renews its lease.
 */
export const leaseMs = 50_000;

/** How often a worker renews its lease. */
export const renewEveryMs = 10_000;
