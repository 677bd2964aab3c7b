import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { idleUse } from '../../lib/cost/idle.ts';
import { readRecorded, recordedTables } from '../../lib/cost/recorded.ts';
import { idleTable, markdownReport, workRows, workTable } from '../../lib/cost/report.ts';
import type { Work } from '../../lib/cost/work.ts';
import { functions, template } from '../support/run/stack-template.ts';

// Whoever changes prices, writes, memory, alarms or secrets refreshes the tables: npm run cost -- --write, or with
// --recorded as well if the functions do what they did.

const { counted, idle } = readRecorded();

describe('the tables of what the service costs', () => {
  it('are those that the command makes of what it counted last', () => {
    const { metrics } = counted;

    expect(recordedTables()).toBe(markdownReport({ work: workRows(counted), idle, metrics }));
  });

  it('are what the first page says', () => {
    const readme = readFileSync('README.md', 'utf8').replaceAll(/\s+/g, ' ');
    const [, completion, , cheaper] = workTable(workRows(counted));
    const [, deployed, parameters] = idleTable(idle);

    expect(readme).toContain(
      `a million completions of 3 s cost ${completion?.at(-1)}, or ${cheaper?.at(-1)} with 256 MB of memory in place of 512.`,
    );
    expect(readme).toContain(
      `A month at rest costs ${deployed?.at(-1)}, or ${parameters?.at(-1)} with secrets that cost nothing.`,
    );
  });

  it('are of a month at rest as the template has it now', () => {
    const [row] = idle.filter(({ setting }) => setting === '`quire:alarms=all`');

    expect(row?.use).toEqual(idleUse(template, counted));
  });

  it('are of functions with the memory that they have now', () => {
    const deployed = new Map(
      functions.map(({ name, properties }) => [name, properties.MemorySize]),
    );
    const works = Object.values(counted).filter((work): work is Work =>
      Object.values(work).some((each) => typeof each === 'object'),
    );

    const memories = works.flatMap((work) =>
      Object.entries(work).map(([name, { memoryMb }]) => [name, memoryMb]),
    );
    expect(memories.length).toBeGreaterThan(10);
    expect(memories).toEqual(memories.map(([name]) => [name, deployed.get(String(name))]));
  });
});
