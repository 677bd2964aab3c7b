import { expect, it } from 'vitest';
import { errorFields } from '../shared/log.ts';

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    return error;
  }
}

it('tells nothing of what could not be parsed', () => {
  const broken = parsed('My patient has a fever');

  const itself = JSON.stringify(errorFields(broken));
  const asCause = JSON.stringify(errorFields(new Error('Broken', { cause: broken })));

  for (const fields of [itself, asCause]) {
    expect(fields).toContain('SyntaxError');
    expect(fields).not.toContain('patient');
  }
  expect(itself).toContain('log.test.ts');
});
