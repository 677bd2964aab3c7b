import { readdirSync, readFileSync } from 'node:fs';
import { poll } from './poll.ts';

/** The ids of the processes whose command line names a path. */
export function processesOf(path: string): number[] {
  return numbersIn('/proc')
    .filter((id) => commandLine(id).includes(path))
    .map(Number);
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
  const ticks = familyOf(pid).map((stat) => stat.ticks);
  return ticks.reduce((sum, each) => sum + each, 0) / ticksPerSecond;
}

/** The same by the name of each thread of the process, and of each process that it started. */
export function cpuSecondsByThread(pid: number): Map<string, number> {
  const threads = numbersIn(`/proc/${pid}/task`).flatMap((id) => statOf(`${pid}/task/${id}`));
  const started = familyOf(pid).filter(({ id }) => id !== pid);
  const seconds = new Map<string, number>();
  for (const { name, ticks } of [...threads, ...started]) {
    seconds.set(name, (seconds.get(name) ?? 0) + ticks / ticksPerSecond);
  }
  return seconds;
}

/** The ids of the processes that a process has started, and those they have. */
export const startedBy = (pid: number): number[] =>
  familyOf(pid).flatMap(({ id }) => (id === pid ? [] : [id]));

/** The memory that a process and those it started have, in bytes. What they share counts for each. */
export function residentBytesOf(pid: number): number {
  const kilobytes = familyOf(pid).map(({ id }) =>
    Number(readOrEmpty(`/proc/${id}/status`).match(/^VmRSS:\s+(\d+)/m)?.[1] ?? 0),
  );
  return kilobytes.reduce((sum, each) => sum + each, 0) * 1024;
}

function familyOf(pid: number): Stat[] {
  const all = numbersIn('/proc').flatMap(statOf);
  const family = new Set([pid]);
  for (let size = 0; size < family.size; ) {
    size = family.size;
    for (const { id, parent } of all) if (family.has(parent)) family.add(id);
  }
  return all.filter(({ id }) => family.has(id));
}

const numbersIn = (folder: string) => readdirSync(folder).filter((name) => /^\d+$/.test(name));

/** Linux counts CPU time in hundredths of a second, whatever the kernel's own clock: `man 7 time`. */
const ticksPerSecond = 100;

interface Stat {
  id: number;
  name: string;
  parent: number;
  ticks: number;
}

/** Reads a process, or a thread as `<process>/task/<thread>`; nothing if it has ended. */
function statOf(id: string): Stat[] {
  const line = readOrEmpty(`/proc/${id}/stat`);
  const name = line.slice(line.indexOf('(') + 1, line.lastIndexOf(')'));
  // After the name, which may hold spaces: the state, the parent, and from the 12th field user and system time.
  const fields = line.slice(line.lastIndexOf(')') + 2).split(' ');
  if (fields.length < 13) return [];
  const [parent, user, system] = [1, 11, 12].map((index) => Number(fields[index]));
  return [{ id: Number(id), name, parent: parent ?? 0, ticks: (user ?? 0) + (system ?? 0) }];
}

/** What a process was started with; empty once it has ended. */
export const commandLine = (id: string | number) => readOrEmpty(`/proc/${id}/cmdline`);

function readOrEmpty(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
