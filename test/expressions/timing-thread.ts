import { parentPort } from 'node:worker_threads';
import { attacksOn } from './attacks.ts';

// Times the expressions that it is sent, one after another, and answers with what keeps each busy.

/** A text of up to 2,000 letters takes no longer, in ms. */
const mostMs = 50;

parentPort?.on('message', (expression: RegExp) => {
  parentPort?.postMessage(busiestOn(expression));
});

/** Returns the beginning of an attack that takes more time for each letter of a longer text; null if there is none. */
function busiestOn(expression: RegExp): string | null {
  for (const attack of attacksOn(expression)) {
    let busyMs = timeBusy(expression, attack);
    // What is slow is slow again; a machine that stood still has gone on.
    for (let again = 0; again < 2 && busyMs > 0 && !isPlain(busyMs); again++) {
      busyMs = Math.min(busyMs, timeBusy(expression, attack));
    }
    if (busyMs > 0) return attack(100);
  }
  return null;
}

/** Whether so much of the processor's time is no chance, so that it is measured once. */
const isPlain = (ms: number) => ms > 6 * mostMs;

/**
 * Returns how long an expression takes for an attack, in ms, if its time grows faster than the text; 0 if not. A text is compared
 * with a fourth of it, tried four times: both take as long, unless the expression looks at each letter again and again.
 */
function timeBusy(expression: RegExp, attack: (length: number) => string): number {
  let took = 0;
  for (const size of [16, 24, 32, 128, 512, 2_000]) {
    took = quickestOf(expression, attack(size));
    if (took > mostMs) return took;
    if (size === 2_000 && took < 0.25) return 0;
  }
  for (const size of [8_000, 32_000]) {
    const grown = timeOf(expression, attack(size));
    if (isGrown(took, grown)) {
      const longMs = timeGrown(attack(size / 4), attack(size));
      if (longMs > 0) return longMs;
    }
    took = grown;
  }
  return 0;

  function timeGrown(short: string, long: string): number {
    let [shortMs, longMs] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
    // What takes so long each time was not only interrupted.
    for (let tries = 0; tries < (longMs > mostMs ? 2 : 10); tries++) {
      shortMs = Math.min(shortMs, timeOf(expression, short, 4) / 4);
      longMs = Math.min(longMs, timeOf(expression, long));
      if (!isGrown(shortMs, longMs)) return 0;
      if (isPlain(longMs)) break;
    }
    return longMs;
  }
}

/** Whether a text of four times the length takes far more than four times as long. */
const isGrown = (shortMs: number, longMs: number) => longMs >= 2 && longMs >= 9 * shortMs;

/** The quicker of two tries; of one, if there is no doubt. */
function quickestOf(expression: RegExp, text: string): number {
  const first = timeOf(expression, text);
  return first < 0.2 || isPlain(first) ? first : Math.min(first, timeOf(expression, text));
}

function timeOf(expression: RegExp, text: string, times = 1): number {
  const startedAt = performance.now();
  for (let time = 0; time < times; time++) {
    if (expression.global) text.replace(expression, '');
    else expression.test(text);
    expression.lastIndex = 0;
  }
  return performance.now() - startedAt;
}
