import { readFileSync, writeFileSync } from 'node:fs';
import type { IdleRow } from './report.ts';
import type { Counted } from './runs.ts';

/** What was counted last, and the README whose tables say what it costs. */
const file = new URL('counted.json', import.meta.url);
const readme = new URL('../README.md', import.meta.url);

export interface Recorded {
  counted: Counted;
  idle: IdleRow[];
}

/** Reads what was counted last. */
export const readRecorded = (): Recorded => JSON.parse(readFileSync(file, 'utf8')) as Recorded;

/** Keeps what was counted, and puts its tables into the README. */
export function record(recorded: Recorded, tables: string): void {
  writeFileSync(file, `${JSON.stringify(recorded, null, 2)}\n`);
  const text = readFileSync(readme, 'utf8');
  writeFileSync(
    readme,
    text.replace(between, (_, begin, __, end) => `${begin}${tables}${end}`),
  );
}

/** Returns the tables as the README has them. */
export const recordedTables = () => readFileSync(readme, 'utf8').match(between)?.[2];

const between = /(<!-- npm run cost -->\n)([\s\S]*?)(\n<!-- end -->)/;
