import type { ResourceNames } from '../template/resource-names.ts';
import { resolve, resourcesOf, type Template } from '../template/template.ts';

/** Returns the path of an API Gateway resource, such as `/batch/jobs/{job_id}`. */
export function pathOf(template: Template, names: ResourceNames, resourceId: string): string {
  const found = resourcesOf(template, 'AWS::ApiGateway::Resource').find(
    ([id]) => names.ref(id) === resourceId,
  );
  if (!found) return '';
  const { ParentId, PathPart } = resolve(found[1].Properties, names) as Record<string, string>;
  return `${pathOf(template, names, ParentId ?? '')}/${PathPart}`;
}
