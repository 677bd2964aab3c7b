import {
  AnalyzeDocumentCommand,
  type Block,
  DetectDocumentTextCommand,
  type DetectDocumentTextCommandOutput,
} from '@aws-sdk/client-textract';
import { afterEach, describe, expect, it } from 'vitest';
import type { Recognize } from '../../../lib/local/textract/recognized-page.ts';
import type { TextractOptions } from '../../../lib/local/textract/textract-server.ts';
import { poll } from '../../support/servers/poll.ts';
import { jpegHeader, pageOf, textractClient } from '../../support/servers/textract.ts';
import {
  type Fault,
  startTestTextract,
  type TestTextract,
} from '../../support/servers/textract-faults.ts';

interface HttpRequest {
  body: unknown;
  headers: Record<string, string>;
}

let server: TestTextract | undefined;

afterEach(async () => {
  await server?.close();
  server = undefined;
});

const recognize: Recognize = async () => pageOf('Hello there\nyou');

async function start(options: TextractOptions = {}) {
  server = await startTestTextract({ recognize, ...options });
  const client = textractClient(server.url);
  const detect = (Bytes: Uint8Array = jpegHeader()): Promise<DetectDocumentTextCommandOutput> =>
    client.send(new DetectDocumentTextCommand({ Document: { Bytes } }));
  const { faults, meter } = server;
  return { faults, meter, client, detect };
}

const ofType = (blocks: Block[] | undefined, type: string) =>
  (blocks ?? []).filter(({ BlockType }) => BlockType === type);

const childrenOf = (block: Block | undefined) =>
  block?.Relationships?.flatMap(({ Type, Ids }) => (Type === 'CHILD' ? (Ids ?? []) : [])) ?? [];

describe('DetectDocumentText', () => {
  it('answers the page, its lines and their words, each pointing to its parts', async () => {
    const { detect } = await start();

    const { Blocks, DocumentMetadata, DetectDocumentTextModelVersion } = await detect();

    const [page] = ofType(Blocks, 'PAGE');
    const lines = ofType(Blocks, 'LINE');
    const words = ofType(Blocks, 'WORD');
    expect(lines.map(({ Text }) => Text)).toEqual(['Hello there', 'you']);
    expect(words.map(({ Text, TextType }) => [Text, TextType])).toEqual([
      ['Hello', 'PRINTED'],
      ['there', 'PRINTED'],
      ['you', 'PRINTED'],
    ]);
    expect(childrenOf(page)).toEqual(lines.map(({ Id }) => Id));
    expect(lines.flatMap(childrenOf)).toEqual(words.map(({ Id }) => Id));
    expect({ DocumentMetadata, DetectDocumentTextModelVersion }).toEqual({
      DocumentMetadata: { Pages: 1 },
      DetectDocumentTextModelVersion: '1.0',
    });
  });

  it('tells places as shares of the page, and confidence in percent', async () => {
    const { detect } = await start();

    const { Blocks } = await detect();

    const [word] = ofType(Blocks, 'WORD');
    expect(word?.Confidence).toBe(90);
    expect(word?.Geometry?.BoundingBox?.Left).toBeCloseTo(0.1);
    expect(word?.Geometry?.BoundingBox?.Top).toBeCloseTo(170 / 1_400);
    expect(word?.Geometry?.BoundingBox?.Width).toBeCloseTo(0.05);
    expect(word?.Geometry?.Polygon).toHaveLength(4);
    expect(word?.Geometry?.Polygon?.[2]?.Y).toBeCloseTo(190 / 1_400);
  });

  it('of an empty page answers the page alone', async () => {
    const { detect } = await start({ recognize: async () => pageOf() });

    const { Blocks } = await detect();

    expect(Blocks?.map(({ BlockType, Relationships }) => [BlockType, Relationships])).toEqual([
      ['PAGE', undefined],
    ]);
  });

  it('puts lines side by side in the order of their tops, whatever the columns', async () => {
    const page = pageOf('left one\nleft two');
    const right = pageOf('right one\nright two').blocks.map(({ paragraphs, ...block }) => ({
      ...block,
      paragraphs: paragraphs.map((lines) =>
        lines.map(({ words }) => ({
          words: words.map(({ box, ...word }) => ({
            ...word,
            box: { ...box, x0: box.x0 + 500, x1: box.x1 + 500, y0: box.y0 + 3, y1: box.y1 + 3 },
          })),
        })),
      ),
    }));
    const blocks = [...page.blocks, ...right];
    const { detect } = await start({ recognize: async () => ({ ...page, blocks }) });

    const { Blocks } = await detect();

    expect(ofType(Blocks, 'LINE').map(({ Text }) => Text)).toEqual([
      'left one',
      'right one',
      'left two',
      'right two',
    ]);
  });
});

describe('AnalyzeDocument', () => {
  it('adds what its features name, and only that', async () => {
    const { client } = await start();
    const analyze = (FeatureTypes: ('LAYOUT' | 'TABLES')[]) =>
      client.send(new AnalyzeDocumentCommand({ Document: { Bytes: jpegHeader() }, FeatureTypes }));

    const layout = await analyze(['LAYOUT']);
    const tables = await analyze(['TABLES']);

    expect(layout.AnalyzeDocumentModelVersion).toBe('1.0');
    expect(ofType(layout.Blocks, 'LAYOUT_TEXT').map(childrenOf)).toEqual([
      ofType(layout.Blocks, 'LINE').map(({ Id }) => Id),
    ]);
    expect(ofType(tables.Blocks, 'LAYOUT_TEXT')).toEqual([]);
  });

  it.each([
    ['without features', []],
    ['with a feature it does not know', ['FORMS']],
  ])('%s is refused', async (_what, FeatureTypes) => {
    const { client } = await start();

    const refused = client.send(
      new AnalyzeDocumentCommand({
        Document: { Bytes: jpegHeader() },
        FeatureTypes: FeatureTypes as never,
      }),
    );

    await expect(refused).rejects.toMatchObject({ name: 'InvalidParameterException' });
  });
});

describe('a request it refuses', () => {
  it.each([
    ['nothing', new Uint8Array(), 'InvalidParameterException'],
    ['over 5 MB', new Uint8Array(5_300_000), 'DocumentTooLargeException'],
    ['over 10 MB', new Uint8Array(12_000_000), 'DocumentTooLargeException'],
  ])('of %s', async (_what, bytes, name) => {
    const { detect } = await start();

    const refused = detect(bytes);

    await expect(refused).rejects.toMatchObject({ name, $metadata: { httpStatusCode: 400 } });
  });

  it.each([
    ['no document', 'Textract.DetectDocumentText', '{}', 'InvalidParameterException'],
    ['another operation', 'Textract.AnalyzeID', '{}', 'UnknownOperationException'],
    ['no JSON', 'Textract.DetectDocumentText', '{"Doc', 'SerializationException'],
  ])('for %s', async (_what, target, body, type) => {
    const { client, detect } = await start();
    client.middlewareStack.add(
      (next) => (args) => {
        const { headers } = Object.assign(args.request as HttpRequest, { body });
        headers['x-amz-target'] = target;
        return next(args);
      },
      { step: 'build', priority: 'high' },
    );

    await expect(detect()).rejects.toMatchObject({
      name: type,
      $metadata: { httpStatusCode: 400 },
    });
  });

  it('whose recognizer breaks is an InternalServerError', async () => {
    const { detect } = await start({ recognize: () => Promise.reject(new Error('out of memory')) });

    await expect(detect()).rejects.toMatchObject({
      name: 'InternalServerError',
      $metadata: { httpStatusCode: 500 },
    });
  });
});

describe('faults', () => {
  it('come as often as told, then requests are answered again', async () => {
    const { faults, detect } = await start();
    faults.add([
      { times: 2, type: 'ProvisionedThroughputExceededException' },
      { type: 'InternalServerError' },
    ]);

    const ends = [];
    for (let n = 0; n < 4; n++) ends.push(await detect().then(() => 'read', nameOf));

    expect(ends).toEqual([
      'ProvisionedThroughputExceededException',
      'ProvisionedThroughputExceededException',
      'InternalServerError',
      'read',
    ]);
  });

  it('may hit only every so-manieth request', async () => {
    const { faults, detect } = await start();
    faults.add([{ times: 2, every: 2, type: 'ThrottlingException' }]);

    const ends = [];
    for (let n = 0; n < 5; n++) ends.push(await detect().then(() => 'read', nameOf));

    expect(ends).toEqual(['read', 'ThrottlingException', 'read', 'ThrottlingException', 'read']);
  });

  it.each<NonNullable<Fault['cut']>>([true, 'midway'])('break the connection: %s', async (cut) => {
    const { faults, detect } = await start();
    faults.add([{ cut }]);

    await expect(detect()).rejects.toMatchObject({ code: 'ECONNRESET' });
  });

  it('are taken back', async () => {
    const { faults, detect } = await start();
    faults.add([{ times: 9 }]);

    faults.clear();

    await expect(detect()).resolves.toHaveProperty('Blocks');
  });
});

const nameOf = (error: Error) => error.name;

describe('traffic', () => {
  it('is counted: by operation, within a second and at the same time', async () => {
    const held = Promise.withResolvers<void>();
    const { meter, detect } = await start({
      recognize: async () => {
        await held.promise;
        return pageOf('a');
      },
    });
    const pages = [detect(), detect(), detect()];
    await poll(
      () => meter.report(),
      ({ total }) => total === 3,
    );
    held.resolve();
    await Promise.all(pages);
    await detect();

    const counted = meter.report();

    expect(counted).toMatchObject({ total: 4, byTarget: { DetectDocumentText: 4 }, atOnce: 3 });
    expect(counted.maxPerSecond).toBeGreaterThanOrEqual(3);
  });

  it('ends for the recognizer when the client hangs up', async () => {
    const started = Promise.withResolvers<AbortSignal>();
    const { client } = await start({
      recognize: (_image, signal) => {
        started.resolve(signal);
        return new Promise((_, reject) => signal.addEventListener('abort', reject));
      },
    });
    const hangUp = new AbortController();
    const command = new DetectDocumentTextCommand({ Document: { Bytes: jpegHeader() } });
    const asked = client.send(command, { abortSignal: hangUp.signal });
    const signal = await started.promise;

    hangUp.abort();

    await expect(asked).rejects.toMatchObject({ name: 'AbortError' });
    if (!signal.aborted) await new Promise((resolve) => signal.addEventListener('abort', resolve));
    expect(signal.aborted).toBe(true);
  });
});
