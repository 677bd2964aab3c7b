import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { functions } from '../support/run/stack-template.ts';

it('a function that starts a process carries its code', () => {
  const lacking = functions.flatMap(({ name, bundle }) => {
    const files = readdirSync(bundle);
    const code = readFileSync(join(bundle, 'index.mjs'), 'utf8');
    const started = [...code.matchAll(/["'`]([a-z-]+-process)["'`]/g)].map(
      ([, each]) => `${each}.mjs`,
    );
    return started.filter((file) => !files.includes(file)).map((file) => `${name}: ${file}`);
  });

  expect(lacking).toEqual([]);
  const drawing = functions.filter(({ bundle }) =>
    readdirSync(bundle).includes('pages-process.mjs'),
  );
  expect(drawing.map(({ name }) => name)).toContain('run-ocr-job');
});
