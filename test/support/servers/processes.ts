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

/** The CPU time that a process and those it started have taken, in seconds. Of those that have ended, none. */
export function cpuSecondsOf(pid: number): number {
  const all = readdirSync('/proc').flatMap((name) => (/^\d+$/.test(name) ? statOf(name) : []));
  const family = new Set([pid]);
  for (let size = 0; size < family.size; ) {
    size = family.size;
    for (const { id, parent } of all) if (family.has(parent)) family.add(id);
  }
  const ticks = all.filter(({ id }) => family.has(id)).map((stat) => stat.ticks);
  return ticks.reduce((sum, each) => sum + each, 0) / ticksPerSecond;
}

/** Linux counts CPU time in hundredths of a second, whatever the kernel's own clock: `man 7 time`. */
const ticksPerSecond = 100;

function statOf(id: string): { id: number; parent: number; ticks: number }[] {
  const line = readOrEmpty(`/proc/${id}/stat`);
  // After the name, which may hold spaces: the state, the parent, and from the 12th field user and system time.
  const fields = line.slice(line.lastIndexOf(')') + 2).split(' ');
  if (fields.length < 13) return [];
  const [parent, user, system] = [1, 11, 12].map((index) => Number(fields[index]));
  return [{ id: Number(id), parent: parent ?? 0, ticks: (user ?? 0) + (system ?? 0) }];
}

const commandLine = (id: string) => readOrEmpty(`/proc/${id}/cmdline`);

function readOrEmpty(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
