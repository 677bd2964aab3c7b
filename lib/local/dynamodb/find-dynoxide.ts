import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { promisify } from 'node:util';
import { StageError } from '../stage-error.ts';

/** The oldest version that the stage was tried with. */
const oldest = [1, 2];

const advice =
  'cargo install dynoxide-rs builds it, and the stage takes it from PATH. Or set AWS_ENDPOINT_URL_DYNAMODB to a DynamoDB of your own';

/** Returns the program of the DynamoDB engine: its package's, or else the `dynoxide` in PATH. Throws `StageError`. */
export async function findDynoxide(packages = createRequire(import.meta.url)): Promise<string> {
  const packaged = pathIn(packages);
  if (packaged) return packaged;
  const version = await versionInPath();
  if (!version) {
    const machine = `${process.platform} ${process.arch}`;
    throw new StageError(`The DynamoDB engine dynoxide is not here (${machine}): ${advice}.`);
  }
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const isOld = major < (oldest[0] ?? 0) || (major === oldest[0] && minor < (oldest[1] ?? 0));
  if (!isOld) return 'dynoxide';
  throw new StageError(
    `The dynoxide in PATH is ${version}, and the stage needs ${oldest.join('.')} or newer: ${advice}.`,
  );
}

function pathIn(packages: NodeJS.Require): string | undefined {
  try {
    const path = packages.resolve('@dynoxide/linux-x64/dynoxide');
    return existsSync(path) ? path : undefined;
  } catch {
    return undefined;
  }
}

/** The version that the `dynoxide` in PATH says of itself; undefined if there is none, or if it is another program. */
async function versionInPath(): Promise<string | undefined> {
  try {
    const { stdout } = await promisify(execFile)('dynoxide', ['--version'], { timeout: 5_000 });
    return stdout.match(/^dynoxide v?(\d+\.\d+\S*)/)?.[1];
  } catch {
    return undefined;
  }
}
