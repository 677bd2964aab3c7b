import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { adoptionOf } from '../lib/cli/adopt/adoption.ts';
import { CommandError } from '../lib/cli/command-line.ts';
import { runProgram } from '../lib/cli/run.ts';

const help = `Writes a change set by which a new stack takes over tables, buckets, queues and secrets of a deleted one, and prints
the commands of the AWS CLI that do it.

  npm run adopt -- STACK NAME...

  STACK   the new stack's name, as in the template that npm run synth has written
  NAME    a name of a table or bucket, URL of a queue or ARN of a secret; a table that npm run restore made in the old one's place
  --help  show this
`;

const folder = 'cdk.out';

await runProgram(
  { call: 'npm run adopt', help, options: {}, takesWords: true },
  async ({ positionals }) => {
    const [stackName, ...given] = positionals;
    if (!stackName)
      throw new CommandError('adopt needs the name of the new stack, and what to attach.');
    if (!existsSync(join(folder, `${stackName}.template.json`))) {
      throw new CommandError(
        `There is no template of ${stackName} in ${folder}: run npm run synth first.`,
      );
    }
    const template = JSON.parse(readFileSync(join(folder, `${stackName}.template.json`), 'utf8'));
    const adoption = adoptionOf(template, stackName, given);
    writeFileSync(join(folder, 'adopt.template.json'), JSON.stringify(adoption.template, null, 2));
    writeFileSync(
      join(folder, 'adopt.resources.json'),
      JSON.stringify(adoption.resourcesToImport, null, 2),
    );
    console.log(`aws cloudformation create-change-set --stack-name ${stackName} --change-set-name adopt \\
  --change-set-type IMPORT --template-body file://${folder}/adopt.template.json \\
  --resources-to-import file://${folder}/adopt.resources.json
aws cloudformation wait change-set-create-complete --stack-name ${stackName} --change-set-name adopt
aws cloudformation execute-change-set --stack-name ${stackName} --change-set-name adopt
aws cloudformation wait stack-import-complete --stack-name ${stackName}`);
  },
);
