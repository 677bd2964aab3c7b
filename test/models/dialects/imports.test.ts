import { globSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { dialectNames } from '../../../shared/models/dialect-names.ts';

const folder = new URL('../../../shared/models/dialects/', import.meta.url);

const names = dialectNames.filter((name) => name !== 'embeddings');

it.each(names)('the dialect %s imports no other', (name) => {
  const others = names.filter((each) => each !== name);
  const files = globSync('*.ts', { cwd: new URL(`${name}/`, folder) });

  const imported = files.flatMap((file) =>
    [...readFileSync(new URL(`${name}/${file}`, folder), 'utf8').matchAll(/from '(.*)'/g)].flatMap(
      ([, from = '']) => others.filter((other) => from.startsWith(`../${other}/`)),
    ),
  );

  expect(files.length).toBeGreaterThan(0);
  expect(imported).toEqual([]);
});
