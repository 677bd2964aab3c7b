import type { StageFile } from '../../../lib/local/stage-file.ts';
import type { Target } from '../servers/api.ts';
import type { ModelSlot } from '../servers/test-catalogue.ts';

/** What the test files of a run share. */
export interface Shared {
  /** The folder of an assembly without bundles, for those who need the template alone. */
  unbundled: string;
  /** The folder of the synthesized assembly. */
  assembly: string;
  /** A DynamoDB, and a SQS with S3, in memory: each file has tables, queues and a bucket of its own there. */
  engines: { dynamodbUrl: string; queuesUrl: string };
  /** The same with a catalogue of test models: a test file that claims a slot is the upstreams of its models. */
  chatAssembly: { assembly: string; slots: ModelSlot[] };
  /** A stage in memory with the offline model, for tests that cause no fault of their own. */
  stage: Target & { dataDir: string };
  /** A stage in memory with the test models. */
  chatStage: Omit<StageFile, 'api_url'> & { dataDir: string };
}

/** Whether this process belongs to a test run; a bench doesn't. */
export const isTestRun = () => process.env['QUIRE_TEST_RUN'] !== undefined;

/** Returns a part of what the run shares. The first one to ask waits until it is made. */
export async function shared<Name extends keyof Shared>(name: Name): Promise<Shared[Name]> {
  const response = await fetch(`${process.env['QUIRE_TEST_RUN']}/${name}`);
  if (!response.ok) throw new Error(`${name}: ${await response.text()}`);
  return (await response.json()) as Shared[Name];
}

/** Returns a number from 1 that no other test file of the run has for this. */
export async function claim(what: string): Promise<number> {
  const response = await fetch(
    `${process.env['QUIRE_TEST_RUN']}/claim/${encodeURIComponent(what)}`,
  );
  return (await response.json()) as number;
}
