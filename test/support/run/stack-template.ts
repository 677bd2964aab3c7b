import { join } from 'node:path';
import { expect } from 'vitest';
import { readAssembly } from '../../../lib/local/template/synthesize.ts';
import { constructOf, resourcesOf } from '../../../lib/local/template/template.ts';
import { withNested } from './nested-stacks.ts';
import { shared } from './shared.ts';

// biome-ignore lint/suspicious/noExplicitAny: properties have CloudFormation's many shapes
export type Properties = any;

/** The synthesized stack. */
export const { template, assetsDir, stackName } = readAssembly(await shared('assembly'));

/** The stack with those that are nested in it. */
export const whole = withNested(template, assetsDir);

/** The logical id and properties of each resource of one type, in the stack and those that are nested in it. */
export const all = (type: string): [id: string, properties: Properties][] =>
  resourcesOf(whole, type).map(([id, { Properties }]) => [id, Properties]);

/** The properties of the only resource of a type. */
export function only(type: string): Properties {
  const [[, properties] = [], ...others] = all(type);
  expect(others).toEqual([]);
  return properties;
}

/** The functions, each with the name of its file in `functions/` and the folder of its bundle. */
export const functions = resourcesOf(template, 'AWS::Lambda::Function').map(([id, resource]) => ({
  id,
  name: constructOf(id, resource),
  properties: resource.Properties as Properties,
  bundle: join(assetsDir, resource.Metadata?.['aws:asset:path'] ?? ''),
}));

/** The function that a value refers to. */
export function functionIn(value: unknown) {
  const ids = referencesIn(value);
  const fn = functions.find(({ id }) => ids.includes(id));
  if (!fn) throw new Error(`no function in ${JSON.stringify(value)}`);
  return fn;
}

/** Every logical id that a value refers to. */
export function referencesIn(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(referencesIn);
  if (typeof value !== 'object' || value === null) return [];
  const { Ref, 'Fn::GetAtt': att } = value as { Ref?: string; 'Fn::GetAtt'?: [string] };
  if (Ref) return [Ref];
  return att ? [att[0]] : Object.values(value).flatMap(referencesIn);
}
