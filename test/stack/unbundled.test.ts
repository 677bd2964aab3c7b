import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { readAssembly } from '../../lib/local/template/synthesize.ts';
import { resourcesOf, type Template } from '../../lib/local/template/template.ts';
import { shared } from '../support/run/shared.ts';
import { template } from '../support/run/stack-template.ts';

it('a template without bundles is the same but for what is deployed of each function', async () => {
  const unbundled = readAssembly(await shared('unbundled'));

  expect(withoutCode(unbundled.template)).toEqual(withoutCode(template));
  const folders = readdirSync(join(unbundled.assetsDir, 'bundles'));
  expect(folders.filter((name) => name.endsWith('.json'))).toEqual([]);
});

/** The template without what changes with a bundle. */
function withoutCode(given: Template): Template {
  const copy = structuredClone(given);
  for (const [, { Properties = {}, Metadata = {} }] of resourcesOf(copy, 'AWS::Lambda::Function')) {
    delete Properties['Code'];
    delete Metadata['aws:asset:path'];
  }
  return copy;
}
