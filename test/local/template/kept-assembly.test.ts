import { mkdirSync, mkdtempSync, readdirSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import {
  assemblyName,
  deleteOtherAssemblies,
  synthesizeOnce,
} from '../../../lib/local/template/kept-assembly.ts';
import type { StageSettings } from '../../../lib/local/template/synthesize.ts';
import { useFolder } from '../../support/run/use-folder.ts';

const folder = useFolder();
const now = new Date('2026-11-20T12:00:00Z');

/** Makes a small checkout in a folder of its own. */
function newCheckout(): string {
  const root = mkdtempSync(join(folder, 'checkout-'));
  write(root, 'functions/docs/get-openapi.ts', 'ok');
  write(root, 'functions/get-health.ts', 'ok');
  write(root, 'cdk.json', '{}');
  return root;
}

function write(root: string, path: string, content: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), content);
}

describe('an assembly', () => {
  const settings: StageSettings = { search: { name: 'brave', key: 'a' } };

  it('has the same name for the same sources and settings, all day', () => {
    const root = newCheckout();
    const name = assemblyName(settings, { root, now });
    const sameDay = new Date('2026-11-20T23:59:59Z');

    expect(name).toMatch(/^[0-9a-f]{16}$/);
    expect(assemblyName(settings, { root, now: sameDay })).toBe(name);
    expect(assemblyName(settings, { root: newCheckout(), now })).toBe(name);
  });

  it('has the same name whatever else lies there, and whatever the key of the search is', () => {
    const root = newCheckout();
    const name = assemblyName(settings, { root, now });
    write(root, 'test/jobs/worker.test.ts', '');
    write(root, 'README.md', '');
    write(root, 'lib/README.md', '');
    write(root, 'functions/.get-health.ts.swp', '');

    const otherKey: StageSettings = { search: { name: 'brave', key: 'b' } };
    expect(assemblyName(otherKey, { root, now })).toBe(name);
  });

  it.each([
    ['functions/get-health.ts', 'changed'],
    ['functions/docs/get-openapi.ts', 'changed'],
    ['functions/new.ts', ''],
    ['lib/new.ts', ''],
    ['shared/models/catalogue.json', ''],
    ['cdk.json', '{ }'],
    ['package-lock.json', '{}'],
    ['node_modules/.package-lock.json', '{}'],
  ])('has another name once %s is %j', (path, content) => {
    const root = newCheckout();
    const name = assemblyName(settings, { root, now });

    write(root, path, content);

    expect(assemblyName(settings, { root, now })).not.toBe(name);
  });

  it.each<[string, StageSettings]>([
    ['another provider of search', { search: { name: 'tavily' } }],
    ['models of one’s own', { ...settings, models: { models: ['llama3.2'] } }],
    ['more context', { ...settings, context: { 'quire:alarms': 'all' } }],
  ])('has another name with %s', (_, other) => {
    const root = newCheckout();
    expect(assemblyName(other, { root, now })).not.toBe(assemblyName(settings, { root, now }));
  });

  it('has another name on another day', () => {
    const root = newCheckout();
    const tomorrow = new Date('2026-11-21T00:00:00Z');
    const name = assemblyName(settings, { root, now });
    expect(assemblyName(settings, { root, now: tomorrow })).not.toBe(name);
  });

  it('has another name with a catalogue, and with another one', () => {
    const root = newCheckout();
    const catalogue = join(folder, 'catalogue.json');
    const without = assemblyName(settings, { root, now });
    vi.stubEnv('QUIRE_CATALOGUE', catalogue);
    writeFileSync(catalogue, '{}');
    const first = assemblyName(settings, { root, now });
    writeFileSync(catalogue, '{ }');
    const second = assemblyName(settings, { root, now });

    expect(new Set([without, first, second]).size).toBe(3);
  });
});

describe('the app is synthesized', () => {
  // The functions' bundles are most of the work, and not what is asked here.
  const settings: StageSettings = { context: { unbundled: true } };

  it('once for the same sources; what earlier stages made there is deleted, and nothing else', {
    tags: 'exhaustive',
  }, async () => {
    const dir = mkdtempSync(join(folder, 'deployment-'));
    const root = newCheckout();
    const onSynthesis = vi.fn();
    const users = ['.env', 'new-terraform', 'notes', 'old', 'updates'];
    const made = [
      '0123456789abcdef',
      '0123456789abcdef.old',
      'new-aB3dE6',
      'update-1',
      'update-2.old',
    ];
    for (const name of [...users, ...made]) write(dir, join(name, 'a file'), '');

    const first = await synthesizeOnce(dir, settings, { root, now, onSynthesis });
    const second = await synthesizeOnce(dir, settings, { root, now, onSynthesis });
    deleteOtherAssemblies(dir, second);

    expect(onSynthesis).toHaveBeenCalledTimes(1);
    expect(second).toEqual(first);
    expect(first.template.Outputs).toHaveProperty('ApiUrl');
    expect(readdirSync(dir).sort()).toEqual(
      [...users, assemblyName(settings, { root, now })].sort(),
    );
  });

  it('again if a source was saved while it was, and is of what was saved', {
    tags: 'exhaustive',
  }, async () => {
    const dir = mkdtempSync(join(folder, 'deployment-'));
    const root = newCheckout();
    const onSynthesis = vi.fn(() => write(root, 'functions/get-health.ts', 'saved'));

    const { assetsDir } = await synthesizeOnce(dir, settings, { root, now, onSynthesis });

    expect(onSynthesis).toHaveBeenCalledTimes(2);
    expect(assetsDir).toBe(join(dir, assemblyName(settings, { root, now })));
    expect(readdirSync(dir)).toEqual([basename(assetsDir)]);
  });

  it('again if no more is left of it than a folder', { tags: 'exhaustive' }, async () => {
    const dir = mkdtempSync(join(folder, 'deployment-'));
    const root = newCheckout();
    write(dir, join(assemblyName(settings, { root, now }), 'compiled/code'), '');

    const { assetsDir } = await synthesizeOnce(dir, settings, { root, now });

    expect(readdirSync(assetsDir)).toContain('manifest.json');
    expect(readdirSync(assetsDir)).not.toContain('compiled');
  });
});
