import { describe, expect, it } from 'vitest';
import { catalogue } from '../../../shared/models/catalogue.ts';
import { shared } from '../../support/run/shared.ts';
import { call } from '../../support/servers/api.ts';
import { eventsOf, post } from '../../support/servers/event-reader.ts';
import {
  dictionary,
  list,
  literal,
  missing,
  type Refusal,
  rule,
  string,
  unicode,
} from '../../support/servers/refusals.ts';

const stage = await shared('stage');

const sent = (body: unknown) => call<{ detail: unknown }>(stage, 'POST', '/chat/stream', body);

const boolean: Refusal = ['bool_type', 'Input should be a valid boolean'];
const tooShort: Refusal = ['string_too_short', 'String should have at least 1 character'];
const upTo = (most: number): Refusal => [
  'string_too_long',
  `String should have at most ${most} characters`,
];

describe('422', () => {
  const base64 = (bytes: string | Uint8Array) => Buffer.from(bytes).toString('base64');
  const oldOffice = Buffer.from('d0cf11e0a1b11ae1', 'hex');

  it.each<[string, object, (string | number)[], Refusal]>([
    ['no message', { message: undefined }, ['message'], missing],
    ['a null message', { message: null }, ['message'], string],
    ['an empty message', { message: '' }, ['message'], tooShort],
    ['a long message', { message: '🙂'.repeat(100_001) }, ['message'], upTo(100_000)],
    ['a message of half a character', { message: '\ud800' }, ['message'], unicode],
    ['a model that is no string', { model: 7 }, ['model'], string],
    [
      'an unknown model',
      { model: 'no-such-model' },
      ['model'],
      rule(
        `no such model, or not one that this API key may use; it may use ${catalogue.models.map(({ id }) => id).join(', ')}`,
      ),
    ],
    ['a session_id that is no string', { session_id: 7 }, ['session_id'], string],
    ['an empty session_id', { session_id: '' }, ['session_id'], tooShort],
    ['a long session_id', { session_id: 'x'.repeat(129) }, ['session_id'], upTo(128)],
    ['a null user_id', { user_id: null }, ['user_id'], string],
    ['an empty user_id', { user_id: '' }, ['user_id'], tooShort],
    ['a long user_id', { user_id: 'x'.repeat(257) }, ['user_id'], upTo(256)],
    ['a web_search that is no boolean', { web_search: 'yes' }, ['web_search'], boolean],
    ['a deep_research that is no boolean', { deep_research: 1 }, ['deep_research'], boolean],
    ['connectors that are no boolean', { connectors: [] }, ['connectors'], boolean],
    ['a chat_history that is no list', { chat_history: {} }, ['chat_history'], list],
    ['a turn that is no object', { chat_history: ['hi'] }, ['chat_history', 0], dictionary],
    [
      'a turn without a role',
      { chat_history: [{ content: 'x' }] },
      ['chat_history', 0, 'role'],
      missing,
    ],
    [
      'a turn of another role',
      { chat_history: [{ role: 'tool', content: 'x' }] },
      ['chat_history', 0, 'role'],
      literal("'system', 'developer', 'user' or 'assistant'"),
    ],
    [
      'a turn without content',
      { chat_history: [{ role: 'user' }] },
      ['chat_history', 0, 'content'],
      missing,
    ],
    ['an api_key that is no string', { api_key: 7 }, ['api_key'], string],
    ['images that are no list', { images: 'aGk=' }, ['images'], list],
    ['an image without base64', { images: [{}] }, ['images', 0, 'base64'], missing],
    [
      'an image that is no base64',
      { images: [{ base64: 'a!' }] },
      ['images', 0, 'base64'],
      rule('not base64'),
    ],
    [
      'a data URL that is no base64',
      { images: [{ base64: 'data:image/png;base64,a!' }] },
      ['images', 0, 'base64'],
      rule('not base64'),
    ],
    [
      'a data URL of another type',
      { images: [{ base64: 'data:text/html;base64,aGk=' }] },
      ['images', 0, 'base64'],
      rule('not an image type'),
    ],
    [
      'an empty data URL',
      { images: [{ base64: 'data:image/png;base64,' }] },
      ['images', 0, 'base64'],
      rule('an empty image'),
    ],
    [
      'a misspelled field',
      { web_serach: true },
      ['web_serach'],
      ['extra_forbidden', 'Unknown name; did you mean web_search?'],
    ],
    ['an empty image', { images: [{ base64: '' }] }, ['images', 0, 'base64'], tooShort],
    [
      'an image of no image type',
      { images: [{ base64: 'aGk=', mime_type: 'text/html' }] },
      ['images', 0, 'mime_type'],
      rule('not an image type'),
    ],
    ['files that are no list', { files: {} }, ['files'], list],
    ['a file without a name', { files: [{ content: 'x' }] }, ['files', 0, 'name'], missing],
    ['a file without content', { files: [{ name: 'x' }] }, ['files', 0, 'content'], missing],
    [
      'a PDF that is none',
      {
        files: [
          { name: 'a.txt', content: 'A' },
          { name: 'b.PDF', content: base64('Only words.') },
        ],
      },
      ['files', 1, 'content'],
      rule("The document can't be read: it is no PDF."),
    ],
    ...['docx', 'doc', 'xlsx', 'pptx', 'odt', 'pdf', 'zip', 'epub'].map(
      (extension): [string, object, (string | number)[], Refusal] => [
        `a document (${extension}) that is not in base64`,
        { files: [{ name: `a.${extension}`, content: 'Only words.' }] },
        ['files', 0, 'content'],
        rule('a document is sent in base64, or as a data URL in base64'),
      ],
    ),
    [
      'a PDF by its content, which is cut off',
      { files: [{ name: 'a', content: base64('%PDF-1.7') }] },
      ['files', 0, 'content'],
      rule("The document can't be read: its end is missing."),
    ],
    [
      'a zip by its content, which is cut off',
      { files: [{ name: 'a', content: base64('PK\x03\x04xxxx') }] },
      ['files', 0, 'content'],
      rule("The document can't be read: its end is missing."),
    ],
    [
      'an old Office file',
      { files: [{ name: 'a.doc', content: base64(oldOffice) }] },
      ['files', 0, 'content'],
      rule(
        'a.doc is an Office file of an older format, or one with a password, which is not supported.',
      ),
    ],
    [
      'a document without bytes',
      { files: [{ name: 'a.docx', content: '' }] },
      ['files', 0, 'content'],
      rule('The document is empty: it has no bytes.'),
    ],
    [
      'a picture among the files',
      { files: [{ name: 'a', content: `data:image/gif;base64,${base64('GIF89a')}` }] },
      ['files', 0, 'content'],
      rule('a is a picture, which is not supported as a file: send it as an image.'),
    ],
    [
      'too many documents',
      { files: Array.from({ length: 21 }, () => ({ name: 'a.pdf', content: '' })) },
      ['files'],
      rule('at most 20 documents are read for a message'),
    ],
  ])('for %s', async (_, fields, loc, [type, msg]) => {
    const { status, body } = await sent({ message: 'a question', ...fields });

    expect(status).toBe(422);
    expect(body.detail).toEqual([{ loc: ['body', ...loc], msg, type }]);
  });

  it('for all faults at once', async () => {
    const { body } = await sent({ message: '', user_id: 7, images: [{}] });

    expect((body.detail as { loc: unknown[] }[]).map(({ loc }) => loc.slice(1))).toEqual([
      ['message'],
      ['user_id'],
      ['images', 0, 'base64'],
    ]);
  });

  it.each([
    ['no JSON', '{"message": '],
    ['a list', '[]'],
    ['nothing', ''],
  ])('for a body that is %s', async (_, text) => {
    expect((await sent(text)).status).toBe(422);
  });
});

it('takes what is just short enough', async () => {
  const response = await post(stage, '/chat/stream', {
    message: '🙂'.repeat(100_000),
    session_id: '🙂'.repeat(128),
    user_id: '🙂'.repeat(256),
  });

  expect(response.status).toBe(200);
  expect(eventsOf(await response.text()).at(-1)).toBe('[DONE]');
});
