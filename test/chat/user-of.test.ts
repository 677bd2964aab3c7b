import { expect, it } from 'vitest';
import { userOf } from '../../shared/chat/user-of.ts';

const device = 'a1b2c3d4'.repeat(8);
const account = '0a1b2c3d-aaaa-4bbb-8ccc-0123456789ab';
const session = 'c31ac7cf-56a7-4c0a-b363-2b726377687d';

const ofMessages = (user_id: unknown) => userOf({ metadata: { user_id } }, 'messages');

it.each([
  [
    'before 2.1.78, with an account',
    `user_${device}_account_${account}_session_${session}`,
    account,
  ],
  ['before 2.1.78, with a token', `user_${device}_account__session_${session}`, device],
  [
    'since, with an account',
    JSON.stringify({ device_id: device, account_uuid: account, session_id: session }),
    account,
  ],
  [
    'since, with a token',
    JSON.stringify({ device_id: device, account_uuid: '', session_id: session }),
    device,
  ],
])('names whoever runs Claude Code, not the session: %s', (_what, id, name) => {
  expect(ofMessages(id)).toBe(name);
  expect(ofMessages(id.replace(session, 'other'))).toBe(name);
  expect(userOf({ user: id }, 'chat')).toBe(name);
});

it.each(['ada', '{', '{"a":1}', '{"device_id":7}', 'null', 'user_1', 'user_a_session_b', ' '])(
  'takes %s as it is',
  (id) => {
    expect(ofMessages(id)).toBe(id);
  },
);

it('takes the safety identifier before the user, of each dialect its own fields, and no cache’s key', () => {
  expect(userOf({ safety_identifier: 's', user: 'u' }, 'responses')).toBe('s');
  expect(userOf({ safety_identifier: '', user: 'u' }, 'chat')).toBe('u');
  expect(userOf({ user: 'u' }, 'embeddings')).toBe('u');
  expect(userOf({ user: 'u', metadata: {} }, 'messages')).toBeUndefined();
  expect(userOf({ prompt_cache_key: 'k', metadata: { user_id: 'm' } }, 'chat')).toBeUndefined();
  expect([ofMessages(null), ofMessages(7), ofMessages('')]).toEqual(Array(3).fill(undefined));
});
