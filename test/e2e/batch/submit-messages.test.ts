import { describe, expect, it } from 'vitest';
import type { FieldError } from '../../../shared/http/errors.ts';
import { shared } from '../../support/run/shared.ts';
import { call } from '../../support/servers/api.ts';

const stage = await shared('stage');
const toolCall = { id: 'call_1', type: 'function', function: { name: 'now', arguments: '{}' } };
const image = { type: 'image_url', image_url: { url: 'https://example.com/cat.png' } };

function post(message: unknown) {
  const messages = [{ role: 'system', content: 'Be brief.' }, message];
  return call<{ detail: FieldError[] }>(stage, 'POST', '/batch/jobs', {
    job_type: 'chat',
    inline: { messages },
  });
}

describe('a message', () => {
  it.each<[string, object]>([
    ['from the system', { role: 'system', content: 'Be brief.' }],
    ['from the developer', { role: 'developer', content: 'Be brief.' }],
    ['of a user with a name', { role: 'user', content: 'Hi', name: 'ada' }],
    ['of the assistant', { role: 'assistant', content: 'Hello' }],
    ['with empty text', { role: 'user', content: '' }],
    ['of text parts', { role: 'user', content: [{ type: 'text', text: 'Hi' }] }],
    ['with an image part', { role: 'user', content: [{ type: 'text', text: 'Hi' }, image] }],
    ['with a part of another type', { role: 'user', content: [{ type: 'input_audio' }] }],
    ['with keys we do not name', { role: 'user', content: 'Hi', weight: { of: 1 } }],
    [
      'that calls a tool, content null',
      { role: 'assistant', content: null, tool_calls: [toolCall] },
    ],
    ['that calls a tool, no content', { role: 'assistant', tool_calls: [toolCall] }],
    ['of a tool', { role: 'tool', content: '12:00', tool_call_id: 'call_1' }],
  ])('is accepted %s', async (_, message) => {
    const { status, body } = await post(message);

    expect(body).not.toHaveProperty('detail');
    expect(status).toBe(202);
  });

  const missing = { type: 'missing', msg: 'Field required' };
  const dictionary = {
    type: 'model_attributes_type',
    msg: 'Input should be a valid dictionary or object to extract fields from',
  };
  const roles = "'system', 'developer', 'user', 'assistant' or 'tool'";
  const role = { type: 'literal_error', msg: `Input should be ${roles}` };
  const string = { type: 'string_type', msg: 'Input should be a valid string' };
  const content = {
    type: 'string_type',
    msg: 'Input should be a valid string or a list of content parts',
  };

  it.each<[string, unknown, (string | number)[], Omit<FieldError, 'loc'>]>([
    ['a string', 'Hi', [], dictionary],
    ['null', null, [], dictionary],
    ['a list', [], [], dictionary],
    ['without a role', { content: 'Hi' }, ['role'], missing],
    ['of an unknown role', { role: 'robot', content: 'Hi' }, ['role'], role],
    ['of a role that is a number', { role: 5, content: 'Hi' }, ['role'], role],
    ['without content', { role: 'user' }, ['content'], missing],
    ['with content null', { role: 'user', content: null }, ['content'], content],
    ['with a number for content', { role: 'user', content: 5 }, ['content'], content],
    ['with an object for content', { role: 'user', content: {} }, ['content'], content],
    ['with a name that is a number', { role: 'user', content: 'Hi', name: 5 }, ['name'], string],
    [
      'of an assistant that says nothing',
      { role: 'assistant', content: null },
      ['content'],
      content,
    ],
    ['of a tool without its call', { role: 'tool', content: '12:00' }, ['tool_call_id'], missing],
    ['with a part that is a string', { role: 'user', content: ['Hi'] }, ['content', 0], dictionary],
    ['with a part that is a list', { role: 'user', content: [[]] }, ['content', 0], dictionary],
    ['with a part without type', { role: 'user', content: [{}] }, ['content', 0, 'type'], missing],
    [
      'with a text part without text',
      { role: 'user', content: [image, { type: 'text' }] },
      ['content', 1, 'text'],
      missing,
    ],
    [
      'with an image part without image_url',
      { role: 'user', content: [{ type: 'image_url' }] },
      ['content', 0, 'image_url'],
      missing,
    ],
    [
      'with an image part without url',
      { role: 'user', content: [{ type: 'image_url', image_url: {} }] },
      ['content', 0, 'image_url', 'url'],
      missing,
    ],
    [
      'with an image part whose url is a number',
      { role: 'user', content: [{ type: 'image_url', image_url: { url: 5 } }] },
      ['content', 0, 'image_url', 'url'],
      string,
    ],
  ])('is refused %s', async (_, message, path, words) => {
    const { status, body } = await post(message);

    expect(status).toBe(422);
    expect(body).toEqual({
      detail: [{ loc: ['body', 'inline', 'messages', 1, ...path], ...words }],
    });
  });
});
