import { readFileSync, writeFileSync } from 'node:fs';

/** The README whose tables say what the service costs. */
const readme = new URL('../../../lib/README.md', import.meta.url);
const between = /(<!-- npm run cost -->\n)([\s\S]*?)(\n<!-- end -->)/;

/** Puts the tables into the README. */
export function writeTables(tables: string): void {
  const text = readFileSync(readme, 'utf8');
  writeFileSync(
    readme,
    text.replace(between, (_, begin, __, end) => `${begin}${tables}${end}`),
  );
}
