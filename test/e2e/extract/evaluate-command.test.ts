import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { expectedFile } from '../../lab/extract-set/extract-set.ts';
import { plainInvoice } from '../../lab/extract-set/invoices.ts';
import { scriptedModel, type Vices } from '../../lab/extract-set/scripted-model.ts';
import { useFolder } from '../../support/run/use-folder.ts';
import { useChatStage } from '../../support/servers/chat-stage.ts';
import { runCommand } from '../../support/servers/command.ts';

const { newModel, newAccount } = await useChatStage();
const home = useFolder();
const invoice = await plainInvoice();

/** A new folder with an `expected.json` and the invoice. */
function folderWith(expected: unknown, name: string): string {
  const folder = join(home, name);
  mkdirSync(folder);
  writeFileSync(join(folder, invoice.file), invoice.bytes);
  const text = typeof expected === 'string' ? expected : JSON.stringify(expected);
  writeFileSync(join(folder, 'expected.json'), text);
  return folder;
}

const evaluate = (args: string[], env: Record<string, string> = {}) =>
  runCommand('test/lab/evaluate/command.ts', home, args, env);

describe('npm run evaluate', () => {
  const folder = folderWith(expectedFile([invoice]), 'invoice');

  async function asked(vices: Vices, args: string[]) {
    const model = newModel('plain', scriptedModel([invoice], vices));
    const { base_url, api_key, keyId } = await newAccount();
    const all = [folder, '--url', base_url, '--model', model.id, ...args];
    return { ...(await evaluate(all, { QUIRE_KEY: api_key })), base_url, api_key, keyId };
  }

  it('prints what is right and what it costs beside a pipeline, and leaves no file', async () => {
    const { code, stdout, base_url, api_key } = await asked({}, [
      '--beside-pipeline',
      '--min',
      '1',
    ]);

    expect(code).toBe(0);
    expect(stdout).toMatch(/invoice-plain\.pdf +1 +0 +1\.000 1\.000 +1\.000 1\.000 +1\.000 1\.000/);
    expect(stdout).toMatch(/extraction +\$0\.\d+/);
    expect(stdout).toMatch(/pipeline's model +\$0\.\d+/);
    const headers = { authorization: `Bearer ${api_key}` };
    const files = await fetch(`${base_url}/v1/files`, { headers });
    expect(await files.json()).toMatchObject({ data: [] });
  });

  it('exits with 1 where a precision or recall is below the least', async () => {
    const { code, stdout, stderr } = await asked({ invents: { '/number': 'INV-1' } }, [
      ...['--json', '--min', '0.99'],
    ]);

    expect(code).toBe(1);
    expect(stderr).toContain('below 0.99');
    expect(JSON.parse(stdout)).toMatchObject({
      documents: [{ file: 'invoice-plain.pdf', pages: 1, score: { rows: { recall: 1 } } }],
      total: { wrong: { values: 1, marked: 1 } },
    });
  });

  it('says that a document has failed', async () => {
    const model = newModel('plain', { kind: 'status', status: 400 });
    const { base_url, api_key } = await newAccount();

    const { stdout } = await evaluate(
      [folder, '--url', base_url, '--model', model.id, '--min', '0'],
      { QUIRE_KEY: api_key },
    );

    expect(stdout).toMatch(/invoice-plain\.pdf: \w+/);
    expect(stdout).toMatch(/in all .* 1\.000 0\.000/);
  });

  it('says which key is refused', async () => {
    const { base_url } = await newAccount();

    const { code, stderr } = await evaluate([folder, '--url', base_url], { QUIRE_KEY: 'qk-none' });

    expect(code).toBe(1);
    expect(stderr).toContain("doesn't take the API key: ");
  });
});

describe('npm run evaluate refuses', () => {
  const document = { file: invoice.file, values: {} };

  it.each([
    ['no folder', [], 'Give one folder'],
    ['a share beyond 1', ['x', '--min', '2'], '--min takes a share'],
    [
      'an option it has not',
      ['x', '--loud'],
      'There is no option --loud; npm run evaluate -- --help',
    ],
    ['a folder beside that of a set', ['x', '--make-set', 'y'], '--make-set names the folder'],
    ['an address without a key', ['x', '--url', 'http://localhost:1'], 'QUIRE_KEY'],
    ['no address', ['x', '--url', 'here', '--min', '1'], '--url takes an address'],
    ['to ask a stage that never ran', ['x', '--data', 'nowhere'], 'No local stage has run'],
  ])('%s', async (_, args, sentence) => {
    const { code, stderr } = await evaluate(args);

    expect(code).toBe(1);
    expect(stderr).toContain(sentence);
    expect(stderr.trim().split('\n')).toHaveLength(1);
  });

  it.each([
    ['no JSON', '{', 'is no JSON'],
    ['no documents', { schema: {}, documents: [] }, 'documents: '],
    ['a document without a schema', { documents: [document] }, 'has no schema'],
    [
      'a file of another folder',
      { schema: {}, documents: [{ ...document, file: '../x.pdf' }] },
      'is not a file of the folder',
    ],
    [
      'a file that is not there',
      { schema: {}, documents: [{ ...document, file: 'x.pdf' }] },
      'is not there',
    ],
    [
      'a box beyond the page',
      {
        schema: {},
        documents: [{ ...document, evidence: { '/a': { page: 1, box: [0, 0, 1, 1001] } } }],
      },
      'documents.0.evidence./a.box.3',
    ],
  ])('an expected.json with %s', async (name, expected, sentence) => {
    const folder = folderWith(expected, name.replaceAll(' ', '-'));

    const { code, stderr } = await evaluate([folder, '--url', 'http://127.0.0.1:1'], {
      QUIRE_KEY: 'qk',
    });

    expect(code).toBe(1);
    expect(stderr).toContain(sentence);
  });
});

it('npm run evaluate -- --help says all of its options', async () => {
  const { code, stdout } = await evaluate(['--help']);

  expect(code).toBe(0);
  for (const option of ['url', 'model', 'json', 'min', 'beside-pipeline', 'make-set']) {
    expect(stdout).toContain(`--${option}`);
  }
});
