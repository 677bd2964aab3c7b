import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';

const packageFile = createRequire(import.meta.url).resolve('@tesseract.js-data/eng/package.json');
const model = '4.0.0_best_int';

/** The folder of the trained data for English, which whatever reads pages uses: both then read alike. */
export const languageFolder = join(dirname(packageFile), model);

/** Returns a folder with the data unpacked, as Tesseract's program takes them. It is made once, and stays. */
export async function unpackedLanguage(): Promise<string> {
  const folder = join(dirname(packageFile), '../../.cache/quire/tesseract', model);
  const file = join(folder, 'eng.traineddata');
  if (existsSync(file)) return folder;
  const packed = await readFile(join(languageFolder, 'eng.traineddata.gz'));
  await mkdir(folder, { recursive: true });
  const unfinished = `${file}-${randomUUID()}`;
  await writeFile(unfinished, await promisify(gunzip)(packed));
  await rename(unfinished, file);
  return folder;
}
