import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { permissionsOf } from '../lib/local/permissions/policies.ts';
import { ResourceNames } from '../lib/local/template/resource-names.ts';
import { synthesize } from '../lib/local/template/synthesize.ts';
import { resourcesOf } from '../lib/local/template/template.ts';

// Runs the tests, those that its arguments name or all, and prints the grants that no call of a function used.
// With `--keep`, the grants that earlier runs used count as well.

/** Grants that no call here can use, and why they are there. */
const explained: Record<string, string> = {
  'sqs:ChangeMessageVisibility': "the CDK's event source of a queue grants it",
  'sqs:GetQueueUrl': "the CDK's event source of a queue, and a stream's failure queue, grant it",
  'sqs:GetQueueAttributes': "the CDK's failure queue of a stream grants it",
};

/** Stands for streams: a stage doesn't start if a function lacks a grant on the stream that feeds it. */
const streamArn = 'stream';

const args = process.argv.slice(2).filter((arg) => arg !== '--keep');
const file = join(process.cwd(), '.local/used-grants.txt');
if (!process.argv.includes('--keep')) rmSync(file, { force: true });
writeFileSync(file, '', { flag: 'a' });

const tests = spawnSync('vitest', ['run', '--reporter=dot', ...args], {
  env: { ...process.env, QUIRE_USED_GRANTS: file },
  stdio: ['ignore', 'ignore', 'inherit'],
});
if (tests.status !== 0) console.error(`The tests failed: some grants may be used by them alone.`);

const used = new Set(readFileSync(file, 'utf8').split('\n'));
for (const line of await allGrants()) {
  if (used.has(line)) continue;
  const [, action = ''] = line.split(' ');
  const reason = explained[action];
  console.log(reason ? `${line}  (${reason})` : `${line}  UNUSED`);
}

/** Every grant of the template as a line of the file has it. */
async function allGrants(): Promise<string[]> {
  const outDir = mkdtempSync(join(tmpdir(), 'quire-grants-'));
  const { template, stackName } = await synthesize(outDir);
  rmSync(outDir, { recursive: true });
  const names = new ResourceNames(template, stackName);
  for (const [id] of resourcesOf(template, 'AWS::DynamoDB::GlobalTable')) {
    names.set(id, 'StreamArn', streamArn);
  }
  const permissions = permissionsOf(template, names);
  return resourcesOf(template, 'AWS::Lambda::Function').flatMap(([id, { Metadata }]) => {
    const name = Metadata?.['aws:cdk:path']?.split('/').at(-2);
    const { grants = [] } = permissions.get(id) ?? {};
    return grants
      .filter(({ resource }) => resource !== streamArn)
      .map(({ action, resource }) => `${name} ${action} ${resource}`);
  });
}
