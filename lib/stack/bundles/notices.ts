import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Metafile } from 'esbuild';

/** Writes `NOTICES.txt` beside each bundle: the licences of all packages that the bundle carries code of. */
export function writeNotices({ outputs }: Metafile, root: string): void {
  const bundles = Object.entries(outputs).filter(([output]) => output.endsWith('.mjs'));
  for (const [dir, files] of Map.groupBy(bundles, ([output]) => dirname(output))) {
    const inputs = files.flatMap(([, file]) => Object.keys(file.inputs));
    writeFileSync(join(root, dir, 'NOTICES.txt'), noticesOf(inputs, root));
  }
}

/** Returns the licences of all packages that some files belong to. */
export function noticesOf(inputs: string[], root: string): string {
  const folders = new Set(inputs.flatMap((input) => packageFolderOf(input) ?? []));
  return textOf([...folders].map((folder) => noticeOf(join(root, folder))));
}

interface Notice {
  name: string;
  licence: string;
}

/** `node_modules/a/node_modules/@b/c/lib/d.js` belongs to the package `@b/c`, `node_modules/.cache/e.json` to none. */
const packageFolderOf = (input: string) =>
  input.match(/^.*node_modules\/(?:@[^/]+\/)?[^./][^/]*/)?.[0];

const known = new Map<string, Notice>();

function noticeOf(folder: string): Notice {
  const notice = known.get(folder) ?? readNotice(folder);
  known.set(folder, notice);
  return notice;
}

function readNotice(folder: string): Notice {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const texts = readdirSync(folder)
    .filter((file) => /^(licen[cs]e|notice|copying|third-party-notices)(\.\w+)?$/i.test(file))
    .map((file) => readFileSync(join(folder, file), 'utf8').trim());
  return { name: `${name} ${version}`, licence: texts.join('\n\n') || `Licence: ${license}` };
}

/** Packages under the same text stand together above it. */
function textOf(notices: Notice[]): string {
  return [...Map.groupBy(notices, ({ licence }) => licence)]
    .map(([licence, of]) => `${of.map(({ name }) => name).join('\n')}\n\n${licence}\n`)
    .join(`\n${'-'.repeat(80)}\n\n`);
}
