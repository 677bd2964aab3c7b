import { readFileSync } from 'node:fs';
import { StageError } from '../stage-error.ts';

/** A resource of a synthesized template. */
export interface Resource {
  Type: string;
  Properties?: Record<string, unknown>;
  Metadata?: Record<string, string>;
}

export interface Template {
  Resources: Record<string, Resource>;
  Outputs?: Record<string, { Value: unknown }>;
}

/** The values of a template's references on this machine. */
export interface References {
  /** Returns the value of a `Ref`: the resource's name, or for a queue its URL. */
  ref(logicalId: string): string;
  /** Returns the value of a `Fn::GetAtt`. */
  getAtt(logicalId: string, attribute: string): string;
}

/** Reads a synthesized template. */
export function readTemplate(file: string): Template {
  return JSON.parse(readFileSync(file, 'utf8')) as Template;
}

/** Returns the resources of one type, each with its logical id. */
export function resourcesOf(template: Template, type: string): [string, Resource][] {
  return Object.entries(template.Resources).filter(([, resource]) => resource.Type === type);
}

/** Returns the name of a resource's construct: its path is `stack/capability/run-chat-job/Resource`. */
export function constructOf(id: string, { Metadata }: Resource): string {
  return Metadata?.['aws:cdk:path']?.split('/').at(-2) ?? id;
}

/**
 * Replaces every intrinsic function in a value by its result. Throws `StageError` for an unknown one.
 * @see https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/intrinsic-function-reference.html
 */
export function resolve(value: unknown, references: References): unknown {
  if (Array.isArray(value)) return value.map((each) => resolve(each, references));
  if (typeof value !== 'object' || value === null) return value;
  const [name, ...others] = Object.keys(value);
  if (name && others.length === 0 && (name === 'Ref' || name.startsWith('Fn::'))) {
    return resolveIntrinsic(name, (value as Record<string, unknown>)[name], references);
  }
  return Object.fromEntries(
    Object.entries(value).map(([key, each]) => [key, resolve(each, references)]),
  );
}

function resolveIntrinsic(name: string, argument: unknown, references: References): unknown {
  if (name === 'Ref') return references.ref(argument as string);
  if (name === 'Fn::GetAtt') return references.getAtt(...(argument as [string, string]));
  const resolved = resolve(argument, references);
  const [first, second] = resolved as [string, string[] & string];
  if (name === 'Fn::Join') return second.join(first);
  if (name === 'Fn::Select') return second[Number(first)];
  if (name === 'Fn::Split') return second.split(first);
  throw new StageError(`The local stage can't resolve ${name} in the template.`);
}
