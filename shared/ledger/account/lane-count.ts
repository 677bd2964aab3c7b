/** An index's partition takes 1,000 write units a second, and an audit takes two: these lanes do for 12,800 accounts a second. */
export const laneCount = 32;
