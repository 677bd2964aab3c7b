import { readFileSync, writeFileSync } from 'node:fs';

/** The page whose tables say what the service costs. */
const page = new URL('../../../lib/COST.md', import.meta.url);
const between = /(<!-- npm run cost -->\n)([\s\S]*?)(\n<!-- end -->)/;

/** Puts the tables into the page. */
export function writeTables(tables: string): void {
  const text = readFileSync(page, 'utf8');
  writeFileSync(
    page,
    text.replace(between, (_, begin, __, end) => `${begin}${tables}${end}`),
  );
}
