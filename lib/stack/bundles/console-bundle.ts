import { createHash } from 'node:crypto';
import { basename, join } from 'node:path';
import { buildSync } from 'esbuild';
import type { BuiltConsole } from '../../../shared/console/built.ts';
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
    const file = outputFiles.find(({ path }) => path.endsWith(extension));
    if (!file) throw new Error(`The console has no ${extension} file`);
    return { name: basename(file.path), text: file.text };
  };
  const script = fileOf('.js');
  const styles = fileOf('.css');
  const licences = noticesOf(Object.keys(metafile.inputs), root);
  const notices = { name: `notices-${hashOf(licences)}.txt`, text: licences };
  return {
    script: script.name,
    styles: styles.name,
    notices: notices.name,
    files: {
      [script.name]: { type: 'text/javascript', content: script.text },
      [styles.name]: { type: 'text/css', content: styles.text },
      [notices.name]: { type: 'text/plain', content: notices.text },
    },
  };
}

const hashOf = (text: string) =>
  createHash('sha256').update(text).digest('hex').slice(0, 8).toUpperCase();
