import { StageError } from '../stage-error.ts';
import { account, type ResourceNames } from '../template/resource-names.ts';
import { resolve, resourcesOf, type Template } from '../template/template.ts';

/** A function as a caller of others. */
export interface Invoker {
  /** What AWS calls it in a refusal. */
  userArn: string;
  /** Whether a policy of its role lets it invoke the function of an ARN. */
  mayInvoke(functionArn: string): boolean;
}

interface Statement {
  Effect: string;
  Action?: string | string[];
  Resource?: unknown;
  Condition?: unknown;
}

const action = 'lambda:InvokeFunction';

/**
 * Returns the template's functions by logical id, each with what its role's policies let it invoke. Throws
 * `StageError` for a statement on that which does more than to allow it.
 */
export function invokersOf(template: Template, names: ResourceNames): Map<string, Invoker> {
  const grants = grantsByRole(template, names);
  return new Map(
    resourcesOf(template, 'AWS::Lambda::Function').map(([id, { Properties }]) => {
      const roleArn = String(resolve(Properties?.['Role'], names));
      const role = roleArn.slice(roleArn.indexOf('/') + 1);
      const granted = grants.get(role) ?? [];
      const invoker = {
        userArn: `arn:aws:sts::${account}:assumed-role/${role}/${names.nameOf(id)}`,
        mayInvoke: (functionArn: string) => granted.some((pattern) => fits(functionArn, pattern)),
      };
      return [id, invoker];
    }),
  );
}

/** Returns the ARN patterns of functions that may be invoked, by the name of the role that may do it. */
function grantsByRole(template: Template, names: ResourceNames): Map<string, string[]> {
  const grants = new Map<string, string[]>();
  for (const [id, { Properties = {} }] of resourcesOf(template, 'AWS::IAM::Policy')) {
    const { Statement } = Properties['PolicyDocument'] as { Statement: Statement[] };
    // Statements on other services are not resolved: they may name what has no counterpart here.
    const statements = Statement.filter(({ Action = [] }) =>
      [Action].flat().some((pattern) => fits(action, pattern)),
    );
    const patterns = statements.flatMap(({ Effect, Resource, Condition }) => {
      if (Effect !== 'Allow' || Condition || !Resource) {
        throw new StageError(
          `The local stage can't apply what the policy ${id} says of ${action}.`,
        );
      }
      return [resolve(Resource, names)].flat() as string[];
    });
    for (const role of resolve(Properties['Roles'] ?? [], names) as string[]) {
      grants.set(role, [...(grants.get(role) ?? []), ...patterns]);
    }
  }
  return grants;
}

/** Whether a text fits a policy's pattern, in which `*` stands for anything. */
function fits(text: string, pattern: string): boolean {
  const escaped = pattern.replace(/[^\w*]/g, '\\$&').replaceAll('*', '.*');
  return new RegExp(`^${escaped}$`).test(text);
}
