import { describe, expect, it } from 'vitest';
import { withOwnFiles } from '../../shared/chat/own-files.ts';
import { anyRoom } from '../support/servers/rooms.ts';
import { makeFile } from '../support/worlds/files-world.ts';
import { useStore } from '../support/worlds/store.ts';

await useStore({ queues: true });
const keyId = 'key_1';
const where = { keyId, room: anyRoom(), loc: ['body', 'messages'], maxBytes: 20 };
const said = (...content: object[]) => [{ role: 'user', content }];
const { entry: file_id } = await makeFile(keyId, 'text', { filename: 'a.txt' });
const file_data = 'data:text/plain;base64,dGV4dA==';

describe('a part that names a file of the key', () => {
  it('has its bytes, whichever protocol names it so', async () => {
    const chat = said({ type: 'file', file: { file_id, filename: null }, detail: 'high' });
    const responses = said({ type: 'input_file', file_id });

    expect(await withOwnFiles(chat, where)).toEqual(
      said({ type: 'file', file: { filename: 'a.txt', file_data }, detail: 'high' }),
    );
    expect(await withOwnFiles(responses, { ...where, type: 'input_file' })).toEqual(
      said({ type: 'input_file', filename: 'a.txt', file_data }),
    );
  });

  it.each([
    ['of another protocol', { type: 'input_file', file_id }],
    ['with its own bytes', { type: 'file', file: { file_id, file_data } }],
    ['without an id', { type: 'file', file: { file_id: 7 } }],
    ['that is none', { type: 'file', file: null }],
  ])('stays as it is %s', async (_, part) => {
    expect(await withOwnFiles(said(part), where)).toEqual(said(part));
    expect(await withOwnFiles([{ content: 'text' }, null], where)).toEqual([
      { content: 'text' },
      null,
    ]);
  });

  it('is one of a hundred, of so many bytes together', async () => {
    const named = { type: 'file', file: { file_id } };
    const many = said(...Array(101).fill(named));

    await expect(withOwnFiles(many, { ...where, maxBytes: 1000 })).rejects.toThrow(
      'a request may name 100 files',
    );
    await expect(withOwnFiles(many, where)).rejects.toMatchObject({
      fields: [{ loc: ['body', 'messages', 0, 'content', 5, 'file', 'file_id'] }],
    });
  });
});
