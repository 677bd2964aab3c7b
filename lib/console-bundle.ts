import { createHash } from 'node:crypto';
import { basename, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { buildSync } from 'esbuild';
import type { BuiltConsole } from '../shared/console/built.ts';
import { noticesOf } from './notices.ts';

/** Builds the console's script and styles for browsers, with the licences of what they carry. */
export function buildConsole(root: string): BuiltConsole {
  const { outputFiles, metafile } = buildSync({
    entryPoints: [join(root, 'lib/console/console.tsx')],
    entryNames: '[name]-[hash]',
    outdir: 'console',
    absWorkingDir: root,
    write: false,
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'browser',
    target: ['chrome120', 'firefox120', 'safari17'],
    jsx: 'automatic',
    jsxImportSource: 'preact',
    define: { 'process.env.NODE_ENV': '"production"' },
    legalComments: 'none',
    logLevel: 'warning',
    metafile: true,
  });
  const fileOf = (extension: string) => {
    const { path, contents } = outputFiles.find((each) => each.path.endsWith(extension)) ?? {};
    if (!path || !contents) throw new Error(`The console has no ${extension} file`);
    return { name: basename(path), contents };
  };
  const script = fileOf('.js');
  const styles = fileOf('.css');
  const licences = Buffer.from(noticesOf(Object.keys(metafile.inputs), root));
  const notices = { name: `notices-${hashOf(licences)}.txt`, contents: licences };
  return {
    script: script.name,
    styles: styles.name,
    notices: notices.name,
    files: {
      [script.name]: { type: 'text/javascript', gzip: gzip(script.contents) },
      [styles.name]: { type: 'text/css', gzip: gzip(styles.contents) },
      [notices.name]: { type: 'text/plain', gzip: gzip(notices.contents) },
    },
  };
}

const gzip = (contents: Uint8Array) => gzipSync(contents, { level: 9 }).toString('base64');

const hashOf = (contents: Uint8Array) =>
  createHash('sha256').update(contents).digest('hex').slice(0, 8).toUpperCase();
