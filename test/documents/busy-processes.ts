import { poll } from '../support/servers/poll.ts';
import { commandLine, cpuSecondsOf, startedBy } from '../support/servers/processes.ts';

const killed = new Set<number>();

/** What a process does for documents, as its file is called. */
type Work = 'pages-process' | 'take-apart-process';

/** The ids of the processes that a process has started to do this. */
export const processesFor = (work: Work, parent = process.pid) =>
  startedBy(parent).filter((id) => !killed.has(id) && commandLine(id).includes(work));

/**
 * Waits for a process that takes so many seconds of processor time from now on, and returns its id. Those that files
 * before have left to do nothing took theirs already.
 */
export async function busyFor(seconds: number, work: Work, parent = process.pid): Promise<number> {
  const before = new Map(processesFor(work, parent).map((id) => [id, cpuSecondsOf(id)]));
  const taken = (id: number) => cpuSecondsOf(id) - (before.get(id) ?? 0);
  const [id = 0] = await poll(
    () => processesFor(work, parent).filter((each) => taken(each) >= seconds),
    (ids) => ids.length > 0,
  );
  return id;
}

/** Kills the process that is drawing a page, as the kernel does where memory is short. */
export async function killDrawer(): Promise<void> {
  const id = await busyFor(1.5, 'pages-process');
  killed.add(id);
  process.kill(id, 'SIGKILL');
}
