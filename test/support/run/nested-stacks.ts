import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { resourcesOf, type Template } from '../../../lib/local/template/template.ts';

/** Returns a template with the resources of the stacks nested in it, which refer to those of their parent as that does. */
export function withNested(parent: Template, dir: string): Template {
  const given = Object.assign(
    {},
    ...resourcesOf(parent, 'AWS::CloudFormation::Stack').map(
      ([, { Properties }]) => Properties?.['Parameters'],
    ),
  );
  const nested = readdirSync(dir)
    .filter((name) => name.endsWith('.nested.template.json'))
    .map((name) =>
      JSON.parse(readFileSync(join(dir, name), 'utf8'), (_, value) =>
        Object.keys(value ?? {}).length === 1 && value.Ref in given ? given[value.Ref] : value,
      ),
    );
  const resources = nested.map(({ Resources }: Template) => Resources);
  return { ...parent, Resources: Object.assign({}, parent.Resources, ...resources) };
}
