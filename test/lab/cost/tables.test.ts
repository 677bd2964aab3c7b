import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { whole } from '../../support/run/stack-template.ts';
import { idleTable } from './cost-text.ts';
import { idleUse } from './idle.ts';

// Whoever changes prices, writes, memory, alarms or secrets refreshes the tables: npm run cost -- --write.

const rows = readFileSync('lib/COST.md', 'utf8')
  .split('\n')
  .filter((line) => line.startsWith('|'))
  .map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );

/** The cells of a table's row with its title, by the titles of their columns. */
function writtenRow(table: string, title: string): Record<string, string> {
  const head = rows.findIndex(([first]) => first === table);
  const cells = rows.find(([first], index) => index > head && first === title) ?? [];
  return Object.fromEntries(
    (rows[head] ?? []).map((column, index) => [column, cells[index] ?? '']),
  );
}

const completions = 'completions of 3 s';
const month = 'a month at rest';
const atRest = { sweep: {}, resetOcrWindows: {}, metrics: { busy: 0, idle: 0 } };

describe('the tables of what the service costs', () => {
  it('are what the first page says', () => {
    const readme = readFileSync('README.md', 'utf8').replaceAll(/\s+/g, ' ');
    const completion = writtenRow('a million', completions)['in all'];
    const deployed = writtenRow(month, 'as it is deployed')['beyond allowances'];

    expect(readme).toContain(
      `a million completions of 3 s cost ${completion}, and a month at rest ${deployed}.`,
    );
  });

  it('are of a month at rest as the template has it now', () => {
    const setting = '`quire:alarms=all`';
    const [titles = [], cells = []] = idleTable([{ setting, use: idleUse(whole, atRest) }]);
    const now = Object.fromEntries(titles.map((title, index) => [title, cells[index]]));

    // What the schedules do is counted on a stage, and a part of both sums.
    for (const title of ['polling', 'secrets, keys', 'alarms', 'dashboard, metrics']) {
      expect(writtenRow(month, setting)).toHaveProperty([title], now[title]);
    }
  });
});
