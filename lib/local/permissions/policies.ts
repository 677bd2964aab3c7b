import { StageError } from '../stage-error.ts';
import { account, type ResourceNames } from '../template/resource-names.ts';
import { resolve, resourcesOf, type Template } from '../template/template.ts';

/** What a policy allows: an action on the resources of an ARN. In both `*` matches anything. */
export interface Grant {
  action: string;
  resource: string;
}

/** A function as a caller of AWS's services. It can be posted to a thread. */
export interface Permissions {
  /** The access key id by which the function's requests are recognized. */
  accessKeyId: string;
  /** The ARN that names the function in AWS's refusals. */
  userArn: string;
  /** The grants of its role's policies. */
  grants: Grant[];
}

interface Document {
  Statement: Statement[];
}

interface Statement {
  Effect: string;
  Action?: string | string[];
  Resource?: unknown;
  Condition?: unknown;
}

/** Returns functions' permissions by logical id. Throws `StageError` for anything but allowed actions on resources. */
export function permissionsOf(template: Template, names: ResourceNames): Map<string, Permissions> {
  const grants = grantsByRole(template, names);
  return new Map(
    resourcesOf(template, 'AWS::Lambda::Function').map(([id, { Properties }]) => {
      const roleArn = String(resolve(Properties?.['Role'], names));
      const role = roleArn.slice(roleArn.indexOf('/') + 1);
      const permissions = {
        accessKeyId: `LOCAL${id.toUpperCase()}`,
        userArn: `arn:aws:sts::${account}:assumed-role/${role}/${names.nameOf(id)}`,
        grants: grants.get(role) ?? [],
      };
      return [id, permissions];
    }),
  );
}

/** Returns the first grant that allows an action on a resource; undefined if none does. */
export function findGrant<Found extends Grant>(
  grants: Found[],
  action: string,
  resource: string,
): Found | undefined {
  return grants.find((grant) => fits(action, grant.action) && fits(resource, grant.resource));
}

function grantsByRole(template: Template, names: ResourceNames): Map<string, Grant[]> {
  return new Map(
    resourcesOf(template, 'AWS::IAM::Role').map(([id, { Properties = {} }]) => {
      const policies = (Properties['Policies'] ?? []) as { PolicyDocument: Document }[];
      const statements = policies.flatMap(({ PolicyDocument }) => PolicyDocument.Statement);
      return [names.nameOf(id), statements.flatMap((each) => grantsIn(id, each, names))];
    }),
  );
}

function grantsIn(id: string, statement: Statement, names: ResourceNames): Grant[] {
  const { Effect, Action, Resource, Condition } = statement;
  // Nothing is encrypted on one machine, and the stage itself keeps the logs.
  if ([Action ?? ''].flat().every((action) => /^(kms|logs):/.test(action))) return [];
  if (Effect !== 'Allow' || Condition || !Action || !Resource) {
    throw new StageError(
      `The local stage can't apply a statement of the role ${id}: ${JSON.stringify(statement)}.`,
    );
  }
  const resources = [resolve(Resource, names)].flat() as string[];
  return [Action].flat().flatMap((action) => resources.map((resource) => ({ action, resource })));
}

const patterns = new Map<string, RegExp>();

/** Whether a text fits a policy's pattern, in which `*` stands for anything. */
export function fits(text: string, pattern: string): boolean {
  if (!pattern.includes('*')) return text === pattern;
  let known = patterns.get(pattern);
  if (!known) {
    known = new RegExp(`^${pattern.replace(/[^\w*]/g, '\\$&').replaceAll('*', '.*')}$`, 's');
    patterns.set(pattern, known);
  }
  return known.test(text);
}
