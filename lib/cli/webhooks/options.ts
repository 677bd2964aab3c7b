import type { Option } from '../command-line.ts';

/** The options of the command `webhooks`, of keys and of teams. */
export const webhookOptions = {
  test: ['', 'send an event that says nothing'],
  redeliver: ['EVENT', 'send this event once more'],
} as const satisfies Record<string, Option>;
