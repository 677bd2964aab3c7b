import { execFile } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { promisify } from 'node:util';
import { readHocr } from './hocr.ts';
import { unpackLanguage } from './language-data.ts';
import type { TesseractReader } from './tesseract-reader.ts';

const run = promisify(execFile);
const program = 'tesseract';
const detectTimeoutMs = 5_000;
/** A page full of words takes about a megabyte of hOCR. */
const maxOutputBytes = 64 * 1024 * 1024;

/** A page for each process, one thread each: several pages are then read sooner than by several threads each. */
const env = { ...process.env, OMP_THREAD_LIMIT: '1' };

/** Finds the machine's own Tesseract; undefined if it has none, or one of before the neural networks. */
export async function findNativeTesseract(): Promise<TesseractReader | undefined> {
  try {
    const { stdout, stderr } = await run(program, ['--version'], { timeout: detectTimeoutMs });
    const [name, major] = /^tesseract v?(\d+)\S*/m.exec(`${stdout}\n${stderr}`) ?? [];
    if (!name || Number(major) < 4) return undefined;
    return nativeTesseract(name, await unpackLanguage());
  } catch {
    return undefined;
  }
}

function nativeTesseract(name: string, languageData: string): TesseractReader {
  const closing = new AbortController();
  return {
    name,
    maxPagesAtOnce: 8,

    async read(pgm, signal) {
      const options = [
        '--tessdata-dir',
        languageData,
        '-l',
        'eng',
        '--psm',
        '3',
        '-c',
        'tessedit_create_hocr=1',
      ];
      const reading = run(program, ['-', '-', ...options], {
        env,
        signal: AbortSignal.any([signal, closing.signal]),
        killSignal: 'SIGKILL',
        maxBuffer: maxOutputBytes,
      });
      // A process that ends early takes no more input; its end says why.
      reading.child.stdin?.on('error', () => {}).end(pgm);
      return readHocr((await reading).stdout);
    },

    async close() {
      closing.abort();
      await rm(languageData, { recursive: true });
    },
  };
}
