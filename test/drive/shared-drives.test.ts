import { beforeEach, describe, expect, it } from 'vitest';
import { refusal, useScriptedDrive } from './scripted-drive.ts';
import { failureOf, useQuire } from './use-quire.ts';

const folder = 'application/vnd.google-apps.folder';
const shortcut = 'application/vnd.google-apps.shortcut';
const shortcutTo = (targetId: string, targetMimeType = 'application/pdf') => ({
  mimeType: shortcut,
  parents: ['allowed'],
  shortcutDetails: { targetId, targetMimeType },
});
const chain = (length: number) =>
  Array.from({ length }, (_, n) => [`c${n}`, { mimeType: folder, parents: [`c${n + 1}`] }]);

const items: Record<string, Record<string, unknown>> = {
  allowed: { mimeType: folder },
  'in-drive': { parents: ['unseen'], driveId: 'the-drive' },
  'in-drive-folder': { mimeType: folder, parents: ['the-drive'], driveId: 'the-drive' },
  'in-two': { parents: ['other', 'allowed'] },
  other: { mimeType: folder, parents: [] },
  orphan: {},
  binned: { parents: ['allowed'], trashed: true },
  'under-unseen': { parents: ['unseen'] },
  'in-loop': { parents: ['loop-1'] },
  'loop-1': { mimeType: folder, parents: ['loop-2'] },
  'loop-2': { mimeType: folder, parents: ['loop-1'] },
  ...Object.fromEntries(chain(200)),
  'in-chain': { parents: ['c0'] },
  'to-two': shortcutTo('to-one', shortcut),
  'to-one': shortcutTo('in-two'),
  'to-itself': shortcutTo('to-itself', shortcut),
  'to-binned': shortcutTo('binned'),
};

let asked: string[] = [];
let listed: Record<string, string>[] = [];
let page: string[] = [];

const resource = (id: string) => ({ id, name: id, mimeType: 'application/pdf', ...items[id] });
const drive = await useScriptedDrive((app) => {
  app.get<{ Params: { id: string } }>('/drive/v3/files/:id', ({ params: { id } }, reply) => {
    asked.push(id);
    if (id === 'refused') return reply.code(403).send(refusal(403, 'insufficientFilePermissions'));
    return items[id] ? reply.send(resource(id)) : reply.code(404).send(refusal(404, 'notFound'));
  });
  app.get<{ Querystring: Record<string, string> }>('/drive/v3/files', async ({ query }) => {
    listed.push(query);
    return { files: page.map(resource) };
  });
});
const quire = await useQuire(drive);

beforeEach(() => {
  asked = [];
  listed = [];
});

const find = (id: string) => quire.findReadableFile(id, ['allowed', 'the-drive']);

it.each([
  ['in an allowed shared drive, under a folder that may not be seen', 'in-drive', 'in-drive'],
  ['in several folders, of which one is allowed', 'in-two', 'in-two'],
  ['behind a shortcut to a shortcut', 'to-two', 'in-two'],
])('a file %s is readable', async (_, id, found) => {
  const file = await find(id);

  expect(file.id).toBe(found);
});

it.each([
  ['without a folder', 'orphan'],
  ['in the bin', 'binned'],
  ['behind a shortcut, in the bin', 'to-binned'],
  ['under a folder that may not be seen', 'under-unseen'],
  ['that is not shared with us', 'refused'],
  ['behind a shortcut to itself', 'to-itself'],
  ['in folders that lie in each other', 'in-loop'],
  ['in folders without end', 'in-chain'],
])('a file %s is not found', async (_, id) => {
  const error = await failureOf(find(id));

  expect(error).toMatchObject({ statusCode: 404, code: 'drive_file_not_found' });
  expect(asked.length).toBeLessThan(110);
});

describe('a page of shortcuts', () => {
  it('costs one walk, however many lie in one folder', async () => {
    const many = Array.from({ length: 60 }, (_, n) => `t${n}`);
    for (const id of many) {
      items[id] = { parents: ['other'] };
      items[`to-${id}`] = shortcutTo(id);
    }
    page = many.map((id) => `to-${id}`);

    const { files, unreadable } = await quire.listFolder('allowed', ['allowed']);

    expect(files).toEqual([]);
    expect(unreadable).toHaveLength(60);
    expect(asked.filter((id) => id === 'other')).toHaveLength(1);
  });
});

it("a shared drive's folder is listed from that drive", async () => {
  page = ['in-drive'];

  const { files } = await quire.listFolder('in-drive-folder', ['the-drive']);

  expect(files.map(({ id }) => id)).toEqual(['in-drive']);
  const fromThatDrive = {
    corpora: 'drive',
    driveId: 'the-drive',
    supportsAllDrives: 'true',
    includeItemsFromAllDrives: 'true',
  };
  expect(listed).toMatchObject([fromThatDrive, fromThatDrive]);
});
