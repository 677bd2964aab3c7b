import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { StageError } from '../stage-error.ts';
import { readTemplate, type Template } from './template.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));

/** A synthesized stack: its template, and the folder that its assets lie in. */
export interface Synthesis {
  stackName: string;
  template: Template;
  assetsDir: string;
}

/**
 * Synthesizes the CDK app as the CDK's own command would, in a thread that leaves its memory behind; an
 * assembly that `QUIRE_ASSEMBLY` names is taken as it is.
 */
export async function synthesize(outDir: string): Promise<Synthesis> {
  const ready = process.env['QUIRE_ASSEMBLY'];
  if (ready) return readAssembly(ready);
  const { context } = JSON.parse(readFileSync(join(root, 'cdk.json'), 'utf8'));
  const app = new Worker(join(root, 'bin/app.ts'), {
    env: {
      ...process.env,
      CDK_OUTDIR: outDir,
      CDK_CONTEXT_JSON: JSON.stringify({
        ...context,
        'aws:cdk:enable-path-metadata': true,
        'aws:cdk:enable-asset-metadata': true,
      }),
    },
    stderr: true,
  });
  let said = '';
  app.stderr.on('data', (chunk) => {
    said += chunk;
  });
  const code = await new Promise<number>((resolve, reject) => {
    app.once('exit', resolve).once('error', reject);
  });
  if (code !== 0) throw new StageError(`The CDK app doesn't synthesize: ${said.trim()}`);
  return readAssembly(outDir);
}

/** Reads a synthesized assembly. */
export function readAssembly(outDir: string): Synthesis {
  const manifest = JSON.parse(readFileSync(join(outDir, 'manifest.json'), 'utf8'));
  const artifacts = Object.entries<{ type: string; properties: { templateFile: string } }>(
    manifest.artifacts,
  );
  const stack = artifacts.find(([, { type }]) => type === 'aws:cloudformation:stack');
  if (!stack) throw new StageError('The CDK app has no stack.');
  const [stackName, { properties }] = stack;
  return {
    stackName,
    template: readTemplate(join(outDir, properties.templateFile)),
    assetsDir: outDir,
  };
}
