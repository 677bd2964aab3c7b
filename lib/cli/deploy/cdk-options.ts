import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { CommandError, meantAmong } from '../command-line.ts';

interface Options {
  [name: string]: { alias?: string | string[] };
}

/** The long names of the options of `cdk deploy`, as the CDK itself keeps them. */
function cdkOptions(): string[] {
  const cdk = dirname(createRequire(import.meta.url).resolve('aws-cdk/package.json'));
  const { globalOptions, commands } = JSON.parse(
    readFileSync(join(cdk, 'lib/cli/cli-type-registry.json'), 'utf8'),
  ) as { globalOptions: Options; commands: { deploy: { options: Options } } };
  return Object.entries({ ...globalOptions, ...commands.deploy.options }).flatMap(
    ([name, { alias = [] }]) => [name, ...[alias].flat()],
  );
}

/** Throws CommandError for an option that neither is ours nor the CDK's, which would deploy without it. */
export function refuseUnknown(args: readonly string[], own: readonly string[]): void {
  const known = [...own, ...cdkOptions()];
  const names = args.flatMap((arg) => arg.match(/^--([^=]+)/)?.[1] ?? []);
  const unknown = names.find((name) => !known.includes(name.replace(/^no-/, '')));
  if (unknown === undefined) return;
  throw new CommandError(
    `There is no option --${unknown}${meantAmong(known, unknown)}; npm run deploy -- --help lists ours, npx cdk deploy --help those of the CDK.`,
  );
}
