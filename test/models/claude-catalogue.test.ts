import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { useFolder } from '../support/run/use-folder.ts';

const file = join(useFolder(), 'catalogue.json');
const read = (path: string) => readFileSync(new URL(path, import.meta.url), 'utf8');

it('takes the catalogue with Claude that the README shows, by its public prices', async () => {
  const [, shown = ''] =
    read('../../shared/models/README.md').match(/```json\n([\s\S]*?)```/) ?? [];
  const { upstreams, models } = JSON.parse(shown);
  const own = JSON.parse(read('../../shared/models/catalogue.json'));
  const all = {
    ...own,
    upstreams: { ...own.upstreams, ...upstreams },
    models: [...own.models, ...models],
  };
  writeFileSync(file, JSON.stringify(all));
  vi.stubEnv('QUIRE_CATALOGUE', file);
  vi.resetModules();

  const { catalogue, isAskedIn } = await import('../../shared/models/catalogue.ts');

  const claudes = catalogue.models.filter((model) => isAskedIn(model, 'messages'));
  expect(claudes.map(({ id }) => id)).toEqual(models.map(({ id }: { id: string }) => id));
  for (const { usdPerMillionTokens, reasoning } of claudes) {
    const { input, cacheWrite, cacheWrite1h } = usdPerMillionTokens;
    expect(reasoning).toBe(true);
    expect(cacheWrite).toBeCloseTo(Number(input) * 1.25);
    expect(cacheWrite1h).toBeCloseTo(Number(input) * 2);
  }
});
