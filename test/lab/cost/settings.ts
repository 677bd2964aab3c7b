import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { synthesize } from '../../../lib/local/template/synthesize.ts';
import type { Template } from '../../../lib/local/template/template.ts';
import { withNested } from '../../support/run/nested-stacks.ts';
import type { IdleRow } from './cost-text.ts';
import { idleUse } from './idle.ts';
import type { Counted } from './runs.ts';

/** The settings that change what the service costs at rest. */
const variants: [name: string, context: Record<string, unknown>][] = [
  ['as it is deployed', {}],
  ['`quire:secrets=parameters`', { 'quire:secrets': 'parameters' }],
  [
    '`quire:secrets=parameters`, `quire:alarms=none`',
    { 'quire:secrets': 'parameters', 'quire:alarms': 'none' },
  ],
  ['`quire:alarms=none`', { 'quire:alarms': 'none' }],
  ['`quire:alarms=all`', { 'quire:alarms': 'all' }],
  ['`quire:search=brave`', { 'quire:search': 'brave' }],
  ['`quire:waf=6000`', { 'quire:waf': 6_000 }],
  ['`quire:dashboard=true`', { 'quire:dashboard': true }],
];

/** What a month at rest uses under each of the settings. */
export async function underSettings(counted: Counted): Promise<IdleRow[]> {
  const idle: IdleRow[] = [];
  for (const [setting, context] of variants) {
    idle.push({ setting, use: idleUse(await templateWith(context), counted) });
  }
  return idle;
}

/** Synthesizes without bundles, of which a template says nothing that counts here. */
async function templateWith(context: Record<string, unknown>): Promise<Template> {
  const outDir = mkdtempSync(join(tmpdir(), 'quire-cost-'));
  try {
    const settings = { context: { 'quire:search': 'none', ...context, unbundled: true } };
    const { template, assetsDir } = await synthesize(outDir, settings);
    return withNested(template, assetsDir);
  } finally {
    rmSync(outDir, { recursive: true, force: true });
  }
}
