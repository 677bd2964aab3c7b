import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** The resources that must outlive every deploy, as they were when someone last agreed to a change. */
const snapshotFile = fileURLToPath(new URL('lasting-resources.json', import.meta.url));

/**
 * The types whose resources hold more than their template says, with the properties that replace the resource if changed
 * by a new one, as another logical id does.
 * @see https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/using-cfn-updating-stacks-update-behaviors.html
 */
const replacingProperties: Record<string, string[]> = {
  'AWS::ApiGateway::RestApi': [],
  'AWS::DynamoDB::GlobalTable': ['KeySchema', 'LocalSecondaryIndexes', 'TableName'],
  // A new one reads its stream from the beginning, and its queue beside the old one.
  'AWS::Lambda::EventSourceMapping': ['EventSourceArn', 'StartingPosition'],
  'AWS::Logs::LogGroup': ['LogGroupName'],
  'AWS::S3::Bucket': ['BucketName'],
  'AWS::SNS::Topic': ['FifoTopic', 'TopicName'],
  'AWS::SQS::Queue': ['FifoQueue', 'QueueName'],
  // A new one has a random value.
  'AWS::SecretsManager::Secret': ['Name'],
};

/** Resources of every stack, with any settings: the snapshot has these. */
const always = ['ApiGateway::RestApi', 'DynamoDB::GlobalTable', 'S3::Bucket', 'SQS::Queue'];

/** The properties of a table that CloudFormation changes by rules of its own. */
const ruledProperties = ['GlobalSecondaryIndexes', 'StreamSpecification'];

interface Template {
  Resources: Record<string, { Type: string; Properties?: Record<string, unknown> }>;
}

interface LastingResource {
  type: string;
  properties: Record<string, unknown>;
}

type Snapshot = Record<string, LastingResource>;

interface Index {
  IndexName: string;
}

/** Returns what of a template must last, of the given types. */
export function lastingResources(
  { Resources }: Template,
  types = always.map((name) => `AWS::${name}`),
): Snapshot {
  const lasting = Object.entries(Resources).flatMap(([id, { Type: type, Properties = {} }]) => {
    const names = replacingProperties[type];
    if (!names || !types.includes(type)) return [];
    const given = [...names, ...ruledProperties].filter((name) => name in Properties);
    const properties = Object.fromEntries(given.map((name) => [name, Properties[name]]));
    return [[id, { type, properties }] as const];
  });
  return Object.fromEntries(lasting.toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

/**
 * Compares a template with the deployed one, or with the kept snapshot where none is given. Throws a sentence per resource that
 * a deploy would replace, or refuse to change; if accepted, the snapshot is updated.
 */
export function checkReplacements(
  template: Template,
  accepted: boolean,
  { file = snapshotFile, deployed }: { file?: string; deployed?: Template | undefined } = {},
): void {
  if (accepted) {
    writeFileSync(file, `${JSON.stringify(lastingResources(template), null, 2)}\n`);
    return;
  }
  const all = Object.keys(replacingProperties);
  const now = lastingResources(template, all);
  const before = deployed
    ? lastingResources(deployed, all)
    : (JSON.parse(readFileSync(file, 'utf8')) as Snapshot);
  const pairs = Object.entries(before).map(([id, each]) => ({ id, before: each, now: now[id] }));
  const replaced = pairs.flatMap(replacements);
  const refused = pairs.flatMap(refusals);
  if (replaced.length + refused.length === 0) return;
  const told = (heading: string, sentences: string[]) =>
    sentences.length > 0 ? [heading, ...sentences.map((sentence) => `  ${sentence}`)] : [];
  const putAnew =
    'A deploy of this would put new, empty resources in the place of these, without their data:';
  const lines = [
    ...told(putAnew, replaced),
    ...told('CloudFormation would not do this, or data would be lost:', refused),
    'If that is meant, synthesize once with -c quire:acceptReplacements=true.',
  ];
  throw new Error(lines.join('\n'));
}

interface ComparedResource {
  id: string;
  before: LastingResource;
  now: LastingResource | undefined;
}

const differs = (a: unknown, b: unknown) => JSON.stringify(a) !== JSON.stringify(b);

function replacements({ id, before: { type, properties }, now }: ComparedResource): string[] {
  if (!now) {
    // A function that is gone takes its log along.
    if (type === 'AWS::Logs::LogGroup') return [];
    return [`${id} (${type}) is not made any more, or under another logical id.`];
  }
  return (replacingProperties[type] ?? [])
    .filter((name) => differs(properties[name], now.properties[name]))
    .map((name) => `${id} (${type}) has another ${name}.`);
}

/** Describes changes that CloudFormation refuses: two indexes in one deploy, another key of an index, another view of a stream. */
function refusals({ id, before, now }: ComparedResource): string[] {
  if (!now) return [];
  const [old, wanted] = [indexesOf(before), indexesOf(now)];
  const moved = [...new Set([...old.keys(), ...wanted.keys()])].filter(
    (name) => old.has(name) !== wanted.has(name),
  );
  const changed = [...old].filter(
    ([name, index]) => wanted.has(name) && differs(index, wanted.get(name)),
  );
  const isOtherStream = differs(
    before.properties['StreamSpecification'],
    now.properties['StreamSpecification'],
  );
  return [
    moved.length > 1 &&
      `${id} gains or loses the indexes ${moved.join(', ')}: deploy them one after another, as a table takes one a deploy.`,
    ...changed.map(
      ([name]) =>
        `${id} has its index ${name} changed: make one of another name, and take this one away a deploy later.`,
    ),
    isOtherStream &&
      `${id} has another StreamSpecification: what its stream holds and nobody has read is lost. Deploy while nothing is written.`,
  ].filter((sentence) => sentence !== false);
}

const indexesOf = ({ properties }: LastingResource) => {
  const indexes = (properties['GlobalSecondaryIndexes'] ?? []) as Index[];
  return new Map(indexes.map((index) => [index.IndexName, index]));
};
