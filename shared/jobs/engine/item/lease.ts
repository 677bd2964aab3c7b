/** How long a lease lasts. A sweep whose clock is 30 seconds ahead must not take a job whose lease is renewed. */
export const leaseMs = 50_000;

/** How often a worker renews its lease. */
export const renewEveryMs = 10_000;
