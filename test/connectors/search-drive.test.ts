import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { clientEnvironment } from '../../lib/local/engines/client-config.ts';
import { FunctionHost } from '../../lib/local/lambda/function-host.ts';
import { Narrator } from '../../lib/local/narrator.ts';
import { startSecretsServer } from '../../lib/local/secrets/secrets-server.ts';
import { bundle } from '../../lib/stack/bundles/bundles.ts';
import type { DriveAnswers } from '../../shared/connectors/drive-documents.ts';
import { docxOf, wordParagraph } from '../support/fixtures/office-files.ts';
import { pdfOf } from '../support/fixtures/pdfs.ts';
import { permissionsFor } from '../support/fixtures/permissions.ts';
import { words } from '../support/fixtures/small-documents.ts';
import { useFolder } from '../support/run/use-folder.ts';
import { type DocumentReader, useDocumentReader } from '../support/servers/document-reader.ts';
import { type TestDrive, useDrive } from '../support/servers/drive.ts';
import { type ConnectedSearch, useSearch } from './use-search.ts';

const root = useFolder();
const codeDir = join(root, 'search-drive');
let drive: TestDrive;
let secrets: Awaited<ReturnType<typeof startSecretsServer>>;
let host: FunctionHost;
let quire: ConnectedSearch;
let reader: DocumentReader;
let beforeReading: () => Promise<void> = async () => {};

beforeAll(async () => {
  drive = await useDrive();
  reader = await useDocumentReader(() => beforeReading());
  quire = await useSearch(drive);
  secrets = await startSecretsServer({ drive: JSON.stringify(drive.serviceAccount) });
  const file = new URL('../../functions/search-drive.ts', import.meta.url);
  const entry = { in: fileURLToPath(file), out: 'search-drive/index' };
  const catalogue = {
    defaults: { chat: '', ocr: '' },
    upstreams: {},
    models: [],
    embeddingModels: [],
    ocrEngines: [],
    searchProviders: [],
  };
  bundle([entry], root, catalogue);
  const environment = {
    ...clientEnvironment,
    ...reader.environment,
    AWS_ENDPOINT_URL_SECRETS_MANAGER: secrets.url,
    DRIVE_SECRET: 'drive',
    GOOGLE_DRIVE_URL: drive.url,
  };
  const config = { name: 'search-drive', arn: 'arn:search', codeDir, handler: 'index.handler' };
  const handedOver = `arn:aws:s3:::${reader.environment['OBJECTS_BUCKET']}/handed-over/*`;
  const permissions = {
    ...permissionsFor(
      { action: 'secretsmanager:GetSecretValue', resource: '*' },
      { action: 'lambda:InvokeFunction', resource: 'arn:aws:lambda:*:function:read-document' },
      { action: 's3:PutObject', resource: handedOver },
      { action: 's3:DeleteObject', resource: handedOver },
    ),
    // Links are judged by whoever signed them, and the engines know nobody else.
    accessKeyId: clientEnvironment.AWS_ACCESS_KEY_ID,
  };
  const limits = { environment, permissions, timeoutMs: 28_000, memoryMb: 1024 };
  host = new FunctionHost({ ...config, ...limits }, new Narrator(() => {}));
});
afterAll(async () => {
  await host.close();
  await secrets.close();
});

it('the function as it is deployed finds documents and reads them', {
  tags: 'exhaustive',
}, async () => {
  drive.put('papers/letter.docx', docxOf(wordParagraph('brass by letter')));
  drive.put('papers/deep/bill.pdf', await pdfOf([{ text: `${words(1)} Of brass.` }]));
  drive.put('papers/page.html', `<p>Brass on a page.</p>${' '.repeat(6 * 1024 * 1024)}`);
  const key = { keyId: 'key_1', folders: [await drive.idOf('papers')] };

  const search = { ask: 'search', ...key, queries: ['brass'] };
  const { hits } = (await host.invoke(search)) as DriveAnswers['search'];
  const ids = hits.map(({ id }) => id);
  const { documents } = (await host.invoke({ ask: 'fetch', ...key, ids })) as DriveAnswers['fetch'];

  const texts = Object.fromEntries(
    documents.map((document) => [document.title, 'text' in document && document.text]),
  );
  expect(texts).toEqual({
    'letter.docx': 'brass by letter',
    'bill.pdf': expect.stringContaining('Of brass.'),
    'page.html': 'Brass on a page.',
  });
  expect(await reader.objects()).toEqual([]);
});

it('another key searches while a document is read', { tags: 'exhaustive' }, async () => {
  drive.put('long/long.html', '<p>A long page.</p>'.repeat(1_000_000));
  drive.put('short/short.txt', 'of brass');
  const [long = '', short = ''] = [await drive.idOf('long'), await drive.idOf('short')];
  const search = { ask: 'search', keyId: 'key_2', folders: [short], queries: ['brass'] };
  let found: unknown;
  beforeReading = async () => {
    found = await host.invoke(search);
  };

  const ids = [await drive.idOf('long.html')];
  const fetched = await host.invoke({ ask: 'fetch', keyId: 'key_1', folders: [long], ids });

  expect(found).toMatchObject({ hits: [{ title: 'short.txt' }] });
  expect(fetched).toMatchObject({ documents: [{ title: 'long.html' }] });
});

it('a question is logged with its figures, and without its words', async () => {
  const lines: string[] = [];
  vi.spyOn(process.stdout, 'write').mockImplementation((line) => Boolean(lines.push(`${line}`)));
  drive.put('logged/private.txt', 'unspeakable');
  const key = { keyId: 'key_1', folders: [await drive.idOf('logged')] };

  const found = await quire.answerQuestion({ ask: 'search', ...key, queries: ['unspeakable'] });
  await quire.answerQuestion({ ask: 'fetch', ...key, ids: [await drive.idOf('private.txt')] });
  vi.restoreAllMocks();

  expect(found).toHaveProperty('hits.length', 1);
  const questions = lines.filter((line) => JSON.parse(line).message === 'drive question');
  expect(questions.map((line) => JSON.parse(line))).toMatchObject([
    { message: 'drive question', key_id: 'key_1', ask: 'search', folders: 1, hits: 1 },
    { message: 'drive question', key_id: 'key_1', ask: 'fetch', documents: 1, skipped: 0 },
  ]);
  expect(lines.join()).not.toMatch(/unspeakable|private/);
});
