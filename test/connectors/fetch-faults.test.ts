import { readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { FastifyReply } from 'fastify';
import { beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { InvocationError } from '../../lib/local/lambda/invocation.ts';
import { refusal, useScriptedDrive } from '../drive/scripted-drive.ts';
import { openDocumentOf } from '../support/fixtures/office-files.ts';
import { pdfOf } from '../support/fixtures/pdfs.ts';
import { words } from '../support/fixtures/small-documents.ts';
import { type DocumentReader, useDocumentReader } from '../support/servers/document-reader.ts';
import { type ConnectedSearch, useSearch } from './use-search.ts';

type Answer = (reply: FastifyReply) => unknown;

interface Scripted {
  fields?: Answer;
  name?: string;
  mimeType?: string;
  content?: Answer;
}

let drive: Awaited<ReturnType<typeof useScriptedDrive>>;
let quire: ConnectedSearch;
/** What is answered for an id, to requests for its fields and for its content. */
let items: Record<string, Scripted> = {};
let logged: string[] = [];
let reader: DocumentReader;
let beforeReading: () => void | Promise<void> = () => {};

beforeAll(async () => {
  drive = await useScriptedDrive((app) => {
    app.get<{ Params: { id: string }; Querystring: { alt?: string } }>(
      '/drive/v3/files/:id',
      ({ params: { id }, query }, reply) => {
        const { fields, content, name = id, mimeType = 'text/plain' } = items[id] ?? {};
        if (query.alt === 'media') return content ? content(reply) : reply.send(`text of ${id}`);
        return fields ? fields(reply) : reply.send({ id, name, mimeType, parents: ['top'] });
      },
    );
  });
  reader = await useDocumentReader(async () => beforeReading());
  quire = await useSearch(drive);
  // The function that reads has started then.
  await fetchIds(['good']);
});
beforeEach(() => {
  items = {};
  beforeReading = () => {};
  reader.asked.length = 0;
  logged = [];
  vi.spyOn(process.stdout, 'write').mockImplementation((line) => Boolean(logged.push(`${line}`)));
  return () => vi.restoreAllMocks();
});

const fetchIds = (ids: string[], limitMs?: number) => quire.fetchDocuments(['top'], ids, limitMs);
const status =
  (code: number, reason: string): Answer =>
  (reply) =>
    reply.code(code).header('retry-after', 0).send(refusal(code, reason));
const hang: Answer = () => new Promise(() => {});
const good = { title: 'good', text: 'text of good' };

describe('when the time is up', () => {
  const skipped = 'it took too long to read';
  /** For what is not slow, also on a busy machine. */
  const enoughMs = 3_000;

  it.each<[string, Answer]>([
    ['does not begin', hang],
    [
      'stops in the middle',
      (reply) => {
        reply.raw.writeHead(200);
        reply.raw.write('the first half');
      },
    ],
  ])(
    'a document is skipped whose download %s, and the others are returned',
    { tags: 'exhaustive' },
    async (_, content) => {
      items = { slow: { content } };

      const documents = await fetchIds(['slow', 'good'], enoughMs);

      expect(documents).toMatchObject([{ title: 'slow', skipped }, good]);
    },
  );

  it('so are those that wait for their turn', async () => {
    const ids = ['slow1', 'slow2', 'slow3', 'waiting'];
    items = Object.fromEntries(ids.slice(0, 3).map((id) => [id, { content: hang }]));

    const documents = await fetchIds(ids, 300);

    expect(documents.map(({ title }) => title)).toEqual(ids);
    for (const document of documents.slice(0, 3)) expect(document).toMatchObject({ skipped });
  });

  it('nothing is told of a document that was not found in time', async () => {
    items = { slow: { fields: hang } };

    const documents = await fetchIds(['slow', 'good'], 500);

    expect(documents).toMatchObject([
      { id: 'slow', title: 'slow', url: 'https://drive.google.com/open?id=slow', skipped },
      { title: 'good' },
    ]);
  });

  it('a document is skipped that takes long to take apart', async () => {
    const row = '<table:table-row><table:table-cell/></table:table-row>';
    const sheet = openDocumentOf(
      'spreadsheet',
      `<table:table>${row.repeat(400_000)}</table:table>`,
    );
    items = { long: { name: 'long.ods', content: (reply) => reply.send(Buffer.from(sheet)) } };

    const documents = await fetchIds(['long'], 400);

    expect(documents).toMatchObject([{ title: 'long.ods', skipped }]);
  });

  it('whoever reads it is told how long that may take', async () => {
    const documents = await fetchIds(['good'], 20_000);

    expect(documents).toMatchObject([good]);
    const [ms = 0] = reader.asked.map(({ limits }) => limits.ms);
    expect(ms).toBeGreaterThan(0);
    expect(ms).toBeLessThanOrEqual(20_000);
  });

  it('a large document that was handed over is deleted, though it is not read yet', {
    tags: 'exhaustive',
  }, async () => {
    const large = Buffer.alloc(5 * 1024 * 1024, 'x');
    const read = Promise.withResolvers<void>();
    items = { large: { content: (reply) => reply.send(large) } };
    let objects: string[] = [];
    beforeReading = async () => {
      objects = await reader.objects();
      await read.promise;
    };

    const documents = await fetchIds(['large'], enoughMs);
    const left = await reader.objects();
    read.resolve();

    expect(documents).toMatchObject([{ title: 'large', skipped }]);
    expect(objects).toHaveLength(1);
    expect(left).toEqual([]);
  });

  it('a PDF is left between two pages, and its files are removed', {
    tags: 'exhaustive',
  }, async () => {
    await fetchIds(['good']);
    const pdf = await pdfOf(Array.from({ length: 1_500 }, (_, n) => ({ text: words(n) })));
    items = { long: { name: 'long.pdf', content: (reply) => reply.send(Buffer.from(pdf)) } };
    const before = filesHere();

    const documents = await fetchIds(['long'], 500);

    expect(documents).toMatchObject([{ title: 'long.pdf', skipped }]);
    await expect
      .poll(() => filesHere().filter((file) => !before.includes(file)), { timeout: 5_000 })
      .toEqual([]);
  });
});

it('an Office file is read that is declared as an archive', async () => {
  const text = Buffer.from(openDocumentOf('text', '<text:p>packed</text:p>'));
  items = { packed: { name: 'a.odt', mimeType: 'application/zip', content: (r) => r.send(text) } };

  expect(await fetchIds(['packed'])).toMatchObject([{ text: 'packed' }]);
});

describe('a document whose content Drive does not give', () => {
  it('is left out if it is gone', async () => {
    items = { gone: { content: status(404, 'notFound') } };

    expect(await fetchIds(['gone', 'good'])).toMatchObject([good]);
  });

  it.each<[string, Answer, string]>([
    [
      'forbids it',
      status(403, 'cannotDownloadFile'),
      'Google Drive does not let its content be read',
    ],
    ['has none', status(403, 'fileNotDownloadable'), 'This kind of file has no content to read'],
    ['fails', status(503, 'backendError'), 'Google Drive does not give its content now'],
    [
      'breaks off',
      (reply) => {
        reply.raw.writeHead(200, { 'content-length': 1000 });
        reply.raw.write('the first half', () => reply.raw.destroy());
      },
      'Google Drive does not give its content now',
    ],
  ])('is skipped if Drive %s', async (_, content, skipped) => {
    items = { bad: { content } };

    expect(await fetchIds(['bad', 'good'])).toMatchObject([{ title: 'bad', skipped }, good]);
  });

  it('is skipped if it is of a kind that only Google opens', async () => {
    items = { form: { mimeType: 'application/vnd.google-apps.form' } };

    expect(await fetchIds(['form'])).toMatchObject([
      { skipped: "files of type application/vnd.google-apps.form can't be read" },
    ]);
  });

  it('ends its download at 20 MB, if its size was not known', async () => {
    let sent = 0;
    const content: Answer = (reply) => {
      reply.raw.writeHead(200);
      const chunk = Buffer.alloc(1024 * 1024, 'x');
      const more = () => {
        while (!reply.raw.destroyed && sent < 200) {
          sent += 1;
          if (!reply.raw.write(chunk)) return reply.raw.once('drain', more);
        }
        return reply.raw.end();
      };
      more();
    };
    items = { endless: { content } };

    expect(await fetchIds(['endless'])).toMatchObject([{ skipped: 'it is larger than 20 MB' }]);
    expect(sent).toBeLessThan(150);
  });
});

it('a document is skipped whose reader fails, and the others are returned', async () => {
  beforeReading = () => {
    beforeReading = () => {};
    throw new InvocationError('Runtime.ExitError', 'it is out of memory');
  };

  const documents = await fetchIds(['bad', 'good']);

  const read = { text: expect.stringMatching(/^text of /) };
  expect(documents).toHaveLength(2);
  expect(documents).toContainEqual(expect.objectContaining(read));
  expect(documents).toContainEqual(expect.objectContaining({ skipped: "it can't be read now" }));
});

it('a Drive that does not say what a document is fails the whole question', async () => {
  items = { bad: { fields: status(503, 'backendError') } };

  await expect(fetchIds(['bad', 'good'])).rejects.toMatchObject({
    statusCode: 503,
    code: 'drive_unavailable',
  });
});

it('nothing of a document is logged', async () => {
  items = {
    bad: { name: 'bad.docx', content: (reply) => reply.send('a private letter') },
    failing: { content: status(503, 'backendError') },
  };

  await fetchIds(['bad', 'failing']);

  expect(logged.join('\n')).toContain('a document could not be read');
  expect(logged.join('\n')).not.toContain('private');
});

/** The files that this process has in its temporary folders; other tests of it may have left some. */
function filesHere(): string[] {
  const folders = readdirSync(tmpdir()).filter((name) => name.startsWith(`quire-${process.pid}-`));
  return folders.flatMap((name) =>
    readdirSync(join(tmpdir(), name)).map((file) => join(name, file)),
  );
}
