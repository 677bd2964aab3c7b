import { mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';

const packageFile = createRequire(import.meta.url).resolve('@tesseract.js-data/eng/package.json');

/** The folder of the trained data for English, which whatever reads pages uses: both then read alike. */
export const languageFolder = join(dirname(packageFile), '4.0.0_best_int');

/** Unpacks the data into a folder of its own, as Tesseract's program takes it. Returns the folder. */
export async function unpackLanguage(): Promise<string> {
  const packed = await readFile(join(languageFolder, 'eng.traineddata.gz'));
  const folder = await mkdtemp(join(tmpdir(), 'quire-tesseract-'));
  await writeFile(join(folder, 'eng.traineddata'), await promisify(gunzip)(packed));
  return folder;
}
