import { fileURLToPath } from 'node:url';
import { expect, it, vi } from 'vitest';

const file = fileURLToPath(
  new URL('../../shared/models/catalogue-with-claude.json', import.meta.url),
);

it('the catalogue with Claude has all other models too, and Claude by its public prices', async () => {
  const { catalogue: own } = await import('../../shared/models/catalogue.ts');
  vi.stubEnv('QUIRE_CATALOGUE', file);
  vi.resetModules();

  const { catalogue, isAskedIn } = await import('../../shared/models/catalogue.ts');

  const claudes = catalogue.models.filter((model) => isAskedIn(model, 'messages'));
  expect(catalogue.models.filter((model) => !claudes.includes(model))).toEqual(own.models);
  expect(claudes.map(({ id }) => id)).toEqual([
    ...['claude-opus-5-5', 'claude-sonnet-5-5', 'claude-haiku-4-5'],
  ]);
  for (const { usdPerMillionTokens, reasoning } of claudes) {
    const { input, cacheWrite, cacheWrite1h } = usdPerMillionTokens;
    expect(reasoning).toBe(true);
    expect(cacheWrite).toBeCloseTo(Number(input) * 1.25);
    expect(cacheWrite1h).toBeCloseTo(Number(input) * 2);
  }
});
