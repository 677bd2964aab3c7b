import { renameSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Fault } from './call-faults.ts';

const file = fileURLToPath(new URL('./instrument.ts', import.meta.url));

/** The environment of a stage whose functions are watched: what each call meets is read from one file, and noted in others. */
export const instrumented = ({
  faults,
  log,
  grants,
  cpu,
}: Partial<Files>): Record<string, string> => ({
  QUIRE_INSTRUMENT: file,
  ...(faults && { QUIRE_CALL_FAULTS: faults }),
  ...(log && { QUIRE_CALL_LOG: log }),
  ...(grants && { QUIRE_USED_GRANTS: grants }),
  ...(cpu && { QUIRE_USED_CPU: cpu }),
});

interface Files {
  faults: string;
  log: string;
  grants: string;
  /** At each end of an invocation, the CPU time of what runs it so far. */
  cpu: string;
}

/** Has the calls of functions meet these faults from now on. A function never reads half of them. */
export function writeFaults(file: string, faults: Fault[]): void {
  writeFileSync(`${file}.new`, JSON.stringify(faults));
  renameSync(`${file}.new`, file);
}
