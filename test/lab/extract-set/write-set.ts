import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expectedFile, extractSet } from './extract-set.ts';

// Writes the set into a new folder, for `npm run evaluate`:
// node test/lab/extract-set/write-set.ts FOLDER

const [folder = ''] = process.argv.slice(2);
if (existsSync(folder) && readdirSync(folder).length > 0) {
  console.error(`${folder} is not empty.`);
  process.exit(1);
}
mkdirSync(folder, { recursive: true });
const documents = await extractSet();
for (const { file, bytes } of documents) writeFileSync(join(folder, file), bytes);
writeFileSync(
  join(folder, 'expected.json'),
  `${JSON.stringify(expectedFile(documents), null, 1)}\n`,
);
console.log(`${documents.length} documents and expected.json are in ${folder}.`);
process.exit();
