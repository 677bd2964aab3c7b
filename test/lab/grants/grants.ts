import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { runProgram } from '../../../lib/cli/run.ts';
import { permissionsOf } from '../../../lib/local/permissions/policies.ts';
import { ResourceNames } from '../../../lib/local/template/resource-names.ts';
import { synthesize } from '../../../lib/local/template/synthesize.ts';
import { constructOf, resourcesOf } from '../../../lib/local/template/template.ts';

const help = `Runs tests, and prints the grants of the template that no call of a function used.

  npm run grants -- [--keep] [FILE...]

  FILE    the tests to run, as for npm test; default: all
  --keep  the grants that earlier runs used count as well
  --help  show this
`;

/** Why grants are there that the tests may leave unused, by action, and for one function by both. */
const explained: Record<string, string> = {
  'sqs:ChangeMessageVisibility': "the CDK's event source of a queue grants it",
  'sqs:GetQueueUrl': "the CDK's event source of a queue, and a stream's failure queue, grant it",
  'sqs:GetQueueAttributes': "the CDK's failure queue of a stream grants it",
  'sqs:DeleteMessage': 'a stage does not start without it on a queue that feeds a function',
  'sqs:ReceiveMessage': 'a stage does not start without it on a queue that feeds a function',
  's3:AbortMultipartUpload': 'gives up an upload of which a part failed',
  'search-drive s3:GetObject': 'signs the link by which another function fetches a document',
  'run-ocr-job textract:AnalyzeDocument': 'for OCR engines of the catalogue with layout or tables',
  'run-chat-job dynamodb:GetItem': 'the folders of a key whose job reads the drive',
  'run-chat-job dynamodb:Query': 'the steps of a long answer, which go when it is done',
  'expand-folder dynamodb:Query': 'the steps of a long expansion, which go when it is done',
  'expand-folder s3:PutObject': 'the result of a folder, once it is over 2 KB',
  'roll-up-usage dynamodb:BatchGetItem':
    'marks of charges that come again, and of those that a version before has counted',
  'roll-up-usage dynamodb:UpdateItem': 'the version before, while this one is being deployed',
  'sweep dynamodb:GetItem': 'jobs and accounts that a lost worker has left',
  'sweep dynamodb:Query':
    'the children of a job, and the charges of an account, to count them again',
  'sweep dynamodb:UpdateItem': 'puts them right',
  'sweep sqs:SendMessage': 'sends a message for a job that nobody came for',
  'reset-ocr-windows dynamodb:GetItem': 'jobs that waited for the hour; it runs as it begins',
  'reset-ocr-windows dynamodb:Query': 'the same, and a pipeline whose child was not counted',
  'reset-ocr-windows dynamodb:UpdateItem': 'the same, and the windows themselves',
  'reset-ocr-windows sqs:SendMessage': 'sends messages for them',
};

/** Stands for streams: a stage doesn't start if a function lacks a grant on the stream that feeds it. */
const streamArn = 'stream';

const options = { keep: { type: 'boolean' } } as const;

await runProgram({ call: 'npm run grants', help, options, takesWords: true }, async (args) => {
  const {
    values: { keep },
    positionals,
  } = args;
  const file = join(process.cwd(), '.local/used-grants.txt');
  mkdirSync(dirname(file), { recursive: true });
  if (!keep) rmSync(file, { force: true });
  writeFileSync(file, '', { flag: 'a' });

  const tests = spawnSync('vitest', ['run', '--reporter=dot', ...positionals], {
    env: { ...process.env, QUIRE_USED_GRANTS: file },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  if (tests.status !== 0) {
    console.error('The tests failed: some grants may be used by them alone.');
    process.exitCode = 1;
  }

  const used = new Set(readFileSync(file, 'utf8').split('\n'));
  for (const line of await allGrants()) {
    if (used.has(line)) continue;
    const [name, action = ''] = line.split(' ');
    const reason = explained[`${name} ${action}`] ?? explained[action];
    console.log(reason ? `${line}  (${reason})` : `${line}  UNUSED`);
  }
});

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
  return resourcesOf(template, 'AWS::Lambda::Function').flatMap(([id, resource]) => {
    const name = constructOf(id, resource);
    const { grants = [] } = permissions.get(id) ?? {};
    return grants
      .filter(({ resource }) => resource !== streamArn)
      .map(({ action, resource }) => `${name} ${action} ${resource}`);
  });
}
