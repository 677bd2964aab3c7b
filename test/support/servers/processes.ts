import { readdirSync, readFileSync } from 'node:fs';
import { poll } from './poll.ts';

/** The ids of the processes whose command line names a path. */
export function processesOf(path: string): number[] {
  const ids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return ids.filter((id) => commandLine(id).includes(path)).map(Number);
}

/** Waits until no process names a path any more. */
export async function untilGone(path: string): Promise<void> {
  await poll(
    () => processesOf(path),
    ({ length }) => length === 0,
  );
}

function commandLine(id: string): string {
  try {
    return readFileSync(`/proc/${id}/cmdline`, 'utf8');
  } catch {
    return '';
  }
}
