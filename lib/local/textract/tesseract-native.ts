import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { readHocr } from './hocr.ts';
import { unpackedLanguage } from './language-data.ts';
import type { TesseractReader } from './tesseract-reader.ts';

const run = promisify(execFile);
const program = 'tesseract';
const detectTimeoutMs = 5_000;
/** A page full of words takes about a megabyte of hOCR. */
const maxOutputBytes = 64 * 1024 * 1024;

/** Finds the machine's own Tesseract; undefined without one, for a version before 4, or without a place for its data. */
export async function findNativeTesseract(): Promise<TesseractReader | undefined> {
  try {
    const { stdout, stderr } = await run(program, ['--version'], { timeout: detectTimeoutMs });
    const [name, major] = /^tesseract v?(\d+)\S*/m.exec(`${stdout}\n${stderr}`) ?? [];
    if (!name || Number(major) < 4) return undefined;
    return nativeTesseract(name, await unpackedLanguage());
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
        // One thread a process: several pages are read sooner so than each by several threads.
        env: { ...process.env, OMP_THREAD_LIMIT: '1' },
        signal: AbortSignal.any([signal, closing.signal]),
        killSignal: 'SIGKILL',
        maxBuffer: maxOutputBytes,
      });
      // A process that ends early takes no more input; its end says why.
      reading.child.stdin?.on('error', () => {}).end(pgm);
      return readHocr((await reading).stdout);
    },

    close: async () => closing.abort(),
  };
}
