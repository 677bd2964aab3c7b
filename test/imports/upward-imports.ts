import { globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize, relative } from 'node:path';
import { apart, doors, inside, ranks, tops } from './ranks.ts';

const imported = /(?:\bfrom|\bimport)\s*\(?\s*'(\.[^']+)'/g;

/** Returns a sentence for each import of a checkout that goes up, or where it may not go. */
export function upwardImports(root: string): string[] {
  const files = globSync(`{${Object.keys(tops)}}/**/*.{ts,tsx}`, { cwd: root });
  return files.sort().flatMap((file) =>
    [...readFileSync(join(root, file), 'utf8').matchAll(imported)].flatMap(([, path = '']) => {
      const target = normalize(join(dirname(file), path));
      const why = refusal(file, target);
      return why ? [`${file} imports ${target}. ${why}`] : [];
    }),
  );
}

/** Why a file may not import another one; undefined if it may. */
function refusal(file: string, target: string): string | undefined {
  const closed = behindDoor(file, target);
  if (closed) return closed;
  const [top = '', ...within] = file.split('/');
  const [targetTop = '', ...targetWithin] = target.split('/');
  if (top !== targetTop) {
    const allowed = tops[top] ?? [];
    if (allowed.includes(targetTop)) return undefined;
    return `${top}/ may import ${allowed.map((name) => `${name}/`).join(' and ') || 'no other folder'}.`;
  }
  const upward = upwardInside(file, target);
  if (upward) return upward;
  if (top === 'functions') return 'Functions import nothing of each other.';
  if (top !== 'shared') return undefined;
  const folder = folderOf(within);
  const targetFolder = folderOf(targetWithin);
  if (targetFolder === folder || targetFolder === undefined) return undefined;
  if (folder === undefined) return 'What lies beside the folders of shared/ imports none of them.';
  for (const name of [within.join('/'), folder]) {
    const rule = apart[name];
    if (rule?.from.includes(targetFolder)) return rule.why;
  }
  if (rankOf(folder) < rankOf(targetFolder)) return undefined;
  return `${targetFolder}/ isn't below ${folder}/: move what both need below, or pass it in (test/imports/ranks.ts).`;
}

/** Why a file may not import what another room keeps to itself; undefined if it may. */
function behindDoor(file: string, target: string): string | undefined {
  for (const [room, open] of Object.entries(doors)) {
    if (file.startsWith(`${room}/`) || !target.startsWith(`${room}/`)) continue;
    const folder = folderOf(target.slice(room.length + 1).split('/')) ?? '.';
    if (!open.includes(folder))
      return `${room}/${folder}/ is behind the door of ${room}/ (test/imports/ranks.ts).`;
  }
  return undefined;
}

/** Why a file of a room with an order of its own may not import another file of it; undefined if it may. */
function upwardInside(file: string, target: string): string | undefined {
  for (const [room, rows] of Object.entries(inside)) {
    if (!file.startsWith(`${room}/`) || !target.startsWith(`${room}/`)) continue;
    const [folder, targetFolder] = [file, target].map(
      (each) => relative(room, dirname(each)) || '.',
    ) as [string, string];
    if (folder === targetFolder) continue;
    if (rankOf(folder, rows, room) >= rankOf(targetFolder, rows, room)) {
      return `${targetFolder}/ isn't below ${folder}/ in ${room}/: move what both need below, or pass it in (test/imports/ranks.ts).`;
    }
  }
  return undefined;
}

const folderOf = (within: string[]) => (within.length > 1 ? within[0] : undefined);

function rankOf(folder: string, rows = ranks, room = 'shared'): number {
  const named = rows.findIndex((row) => row.includes(folder));
  const rank = named < 0 ? rows.findIndex((row) => row.includes(`${dirname(folder)}/*`)) : named;
  if (rank < 0)
    throw new Error(`${room}/${folder}/ has no rank: give it one in test/imports/ranks.ts`);
  return rank;
}
