import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { version } from '../shared/version.ts';
import { shared } from './support/run/shared.ts';

const { base_url } = await shared('stage');

const get = async (path: string) => (await fetch(`${base_url}${path}`)).json();

it('package.json, GET /health and the OpenAPI document name one version', async () => {
  const manifest = JSON.parse(readFileSync('package.json', 'utf8'));

  expect(manifest.version).toBe(version);
  expect(await get('/health')).toEqual({ status: 'ok', version });
  expect(await get('/openapi.json')).toMatchObject({ info: { version } });
});
