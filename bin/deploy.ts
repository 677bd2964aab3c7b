import './catalogue-faults.ts';

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LambdaClient } from '@aws-sdk/client-lambda';
import { type Asked, accountQuotas } from '../lib/cli/deploy/account-quotas.ts';
import { refuseUnknown } from '../lib/cli/deploy/cdk-options.ts';
import { compared } from '../lib/cli/deploy/compared.ts';
import { givenContext } from '../lib/cli/deploy/given-context.ts';
import { describePreflight } from '../lib/cli/deploy/preflight-text.ts';
import { shortfalls } from '../lib/cli/deploy/shortfalls.ts';
import { inSentences } from '../lib/cli/run.ts';

const help = `Deploys the stack with the CDK, once the account's quotas have been asked.

  npm run deploy -- [options of cdk deploy]

  -c quire:NAME=VALUE  a setting; lib/SETTINGS.md lists them
  --check              only ask and report; exits with 1 if the account has too little
  --help               show this

It goes to the region that the CDK would take: AWS_REGION, AWS_DEFAULT_REGION, the profile's, or us-east-1. The template is
compared with the deployed one: what CloudFormation would replace, or refuse, is said before it is asked.

What the account has too little of is said, with what to ask for. Until it has more, the settings that wouldn't fit are
lowered for this deploy: each deploy asks anew. A quota that you may not ask for is left out. All other options go to
cdk deploy, such as --profile NAME and --require-approval never; npx cdk deploy asks for no quota.
`;

const unheard = `
NOBODY HEARS OF ALARMS: -c quire:alarmEmail=you@example.com has them mailed to you, once you have confirmed it.
Or subscribe to the topic that the output AlarmTopic names.
`;

await inSentences(async () => {
  const args = process.argv.slice(2);
  if (args.includes('--help') || args.includes('-h')) {
    process.stdout.write(help);
    return;
  }
  refuseUnknown(args, ['check', 'help']);
  await preflight(
    args.filter((arg) => arg !== '--check'),
    args.includes('--check'),
  );
});

async function preflight(cdkArgs: string[], checksOnly: boolean): Promise<void> {
  const { profile, ...given } = givenContext(cdkArgs);
  if (profile) process.env['AWS_PROFILE'] = profile;
  process.env['AWS_REGION'] ??= await regionOfCdk();
  const stackName = `quire-${given.settings.stageName}`;
  const quotas = await accountQuotas(stackName);
  const { found, lowered } = shortfalls(given, quotas);
  console.error(describePreflight(stackName, compared(given.settings, quotas), found, quotas));
  if (given.settings.alarms === 'none' || !given.settings.alarmEmail) console.error(unheard);
  if (checksOnly) process.exitCode = found.length > 0 ? 1 : 0;
  else await deploy([...cdkArgs, ...contextArguments(lowered)], known(quotas.deployed));
}

function known<Value>(asked: Asked<Value>): Value | undefined {
  return asked.unknown === undefined ? asked.value : undefined;
}

/** The region that the CDK deploys to where AWS_REGION names none. */
async function regionOfCdk(): Promise<string> {
  const { AMAZON_REGION, AWS_DEFAULT_REGION } = process.env;
  const ofProfile = () => new LambdaClient().config.region().catch(() => 'us-east-1');
  return AMAZON_REGION ?? AWS_DEFAULT_REGION ?? (await ofProfile());
}

/** The last value of a setting is the one that counts. */
function contextArguments(context: Record<string, unknown>): string[] {
  return Object.entries(context).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
}

async function deploy(cdkArgs: string[], deployed: string | undefined): Promise<void> {
  const file = join(tmpdir(), `quire-deployed-${process.pid}.json`);
  if (deployed) writeFileSync(file, deployed, { mode: 0o600 });
  const env = { ...process.env, ...(deployed && { QUIRE_DEPLOYED_TEMPLATE: file }) };
  const cdk = spawn('cdk', ['deploy', ...cdkArgs], { stdio: 'inherit', env });
  // A terminal tells both; the CDK ends in its own time, and this after it.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => cdk.kill(signal));
  const [code] = await once(cdk, 'exit');
  rmSync(file, { force: true });
  process.exitCode = code ?? 1;
}
