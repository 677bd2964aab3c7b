import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** The resources that must outlive every deploy, as they were when someone last agreed to a change. */
const snapshotFile = fileURLToPath(new URL('lasting-resources.json', import.meta.url));

/**
 * The types that hold callers' and operators' data, with the properties whose change replaces the resource by an
 * empty one, as another logical id does.
 * @see https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/using-cfn-updating-stacks-update-behaviors.html
 */
const replacingProperties: Record<string, string[]> = {
  'AWS::ApiGateway::RestApi': [],
  'AWS::DynamoDB::GlobalTable': ['KeySchema', 'LocalSecondaryIndexes', 'TableName'],
  'AWS::S3::Bucket': ['BucketName'],
  'AWS::SQS::Queue': ['FifoQueue', 'QueueName'],
};

interface Template {
  Resources: Record<string, { Type: string; Properties?: Record<string, unknown> }>;
}

type Snapshot = Record<string, { type: string; properties: Record<string, unknown> }>;

/** Returns what of a template must last. */
export function lastingResources({ Resources }: Template): Snapshot {
  const lasting = Object.entries(Resources).flatMap(([id, { Type: type, Properties = {} }]) => {
    const names = replacingProperties[type];
    if (!names) return [];
    const given = names.filter((name) => name in Properties);
    const properties = Object.fromEntries(given.map((name) => [name, Properties[name]]));
    return [[id, { type, properties }] as const];
  });
  return Object.fromEntries(lasting.toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

/**
 * Compares a template with the kept snapshot. Throws a sentence per resource that a deploy would replace; if
 * accepted, the snapshot is updated.
 */
export function checkReplacements(
  template: Template,
  accepted: boolean,
  file = snapshotFile,
): void {
  const now = lastingResources(template);
  if (accepted) {
    writeFileSync(file, `${JSON.stringify(now, null, 2)}\n`);
    return;
  }
  const before = JSON.parse(readFileSync(file, 'utf8')) as Snapshot;
  const sentences = Object.entries(before).flatMap(([id, { type, properties }]) => {
    const current = now[id];
    if (!current) return [`${id} (${type}) is not made any more, or under another logical id.`];
    const names = new Set([...Object.keys(properties), ...Object.keys(current.properties)]);
    const changed = [...names].filter(
      (name) => JSON.stringify(properties[name]) !== JSON.stringify(current.properties[name]),
    );
    return changed.map((name) => `${id} (${type}) has another ${name}.`);
  });
  if (sentences.length === 0) return;
  throw new Error(
    [
      'A deploy of this would put new, empty resources in the place of these, without their data:',
      ...sentences.map((sentence) => `  ${sentence}`),
      'If that is meant, synthesize once with -c quire:acceptReplacements=true.',
    ].join('\n'),
  );
}
