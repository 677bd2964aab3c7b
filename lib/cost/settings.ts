import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { synthesize } from '../local/template/synthesize.ts';
import { constructOf, resourcesOf, type Template } from '../local/template/template.ts';
import { idleUse } from './idle.ts';
import type { IdleRow } from './report.ts';
import type { Counted } from './runs.ts';
import type { Work } from './work.ts';

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

/** What a month at rest uses under each of the settings, and what was counted with the memory of the template. */
export async function underSettings(
  counted: Counted,
): Promise<{ counted: Counted; idle: IdleRow[] }> {
  const idle: IdleRow[] = [];
  let now = counted;
  for (const [setting, context] of variants) {
    const template = await templateWith(context);
    now = withMemoryOf(template, counted);
    idle.push({ setting, use: idleUse(template, now) });
  }
  return { counted: now, idle };
}

/** Synthesizes without bundles, of which a template says nothing that counts here. */
async function templateWith(context: Record<string, unknown>): Promise<Template> {
  const outDir = mkdtempSync(join(tmpdir(), 'quire-cost-'));
  try {
    const settings = { context: { 'quire:search': 'none', ...context, unbundled: true } };
    return (await synthesize(outDir, settings)).template;
  } finally {
    rmSync(outDir, { recursive: true, force: true });
  }
}

/** What was counted doesn't depend on the memory of the functions; what it costs does. */
function withMemoryOf(template: Template, counted: Counted): Counted {
  const memoryOf = new Map(
    resourcesOf(template, 'AWS::Lambda::Function').map(([id, resource]) => [
      constructOf(id, resource),
      Number(resource.Properties?.['MemorySize']),
    ]),
  );
  const resized = (work: Work): Work =>
    Object.fromEntries(
      Object.entries(work).map(([name, each]) => [
        name,
        { ...each, memoryMb: memoryOf.get(name) ?? each.memoryMb },
      ]),
    );
  const { metrics, jobMs, ocrPageMs, ...works } = counted;
  const all = Object.entries(works).map(([name, work]) => [name, resized(work)]);
  return { ...(Object.fromEntries(all) as typeof works), metrics, jobMs, ocrPageMs };
}
