import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { functions } from '../support/run/stack-template.ts';

const bundles = functions.map(({ name, bundle }) => ({
  name,
  code: readFileSync(join(bundle, 'index.mjs'), 'utf8'),
  files: readdirSync(bundle),
}));

/** The functions whose bundle has what is asked for. */
const having = (has: (bundle: (typeof bundles)[number]) => boolean) =>
  bundles
    .filter(has)
    .map(({ name }) => name)
    .toSorted();

it('only functions that read emails and archives carry the code for it, in a process of its own', () => {
  const readers = ['get-job-page', 'read-document', 'run-chat-job', 'run-ocr-job'];

  expect(having(({ files }) => files.includes('take-apart-process.mjs'))).toEqual(readers);
  expect(having(({ code }) => code.includes('rfc822DepthExceeded'))).toEqual([]);
  for (const { bundle } of functions.filter(({ name }) => readers.includes(name))) {
    const notices = readFileSync(join(bundle, 'NOTICES.txt'), 'utf8');
    expect(notices).toMatch(/postal-mime/);
    expect(notices).toMatch(/pdfium/);
  }
});

it('only functions that read PDF carry PDFium, and only those that draw pages libvips', () => {
  expect(having(({ files }) => files.includes('pdfium.wasm'))).toEqual([
    'estimate-job',
    'get-job-page',
    'read-document',
    'read-page',
    'run-chat-job',
    'run-ocr-job',
  ]);
  expect(having(({ files }) => files.includes('vips.wasm'))).toEqual([
    'get-job-page',
    'run-ocr-job',
  ]);
});

it('PDFs and pictures are read in processes of their own, and no function has the code to do it itself', () => {
  const filesOf = (process: string) => having(({ files }) => files.includes(`${process}.mjs`));

  expect(filesOf('pages-process')).toEqual(['get-job-page', 'run-ocr-job']);
  expect(filesOf('text-layers-process')).toEqual([
    'estimate-job',
    'read-document',
    'run-chat-job',
    'run-ocr-job',
  ]);
  expect(filesOf('page-process')).toEqual(['read-page']);
  expect(having(({ code }) => code.includes('FPDF_LoadPage'))).toEqual([]);
});

it('the function that searches Drive, which has its secret, carries nothing that reads documents', () => {
  const bundle = functions.find(({ name }) => name === 'search-drive')?.bundle ?? '';

  expect(readdirSync(bundle).toSorted()).toEqual(['NOTICES.txt', 'index.mjs', 'index.mjs.map']);
  const notices = readFileSync(join(bundle, 'NOTICES.txt'), 'utf8');
  expect(notices).toMatch(/googleapis/);
  expect(notices).not.toMatch(/htmlparser2|pdfium|fflate|postal-mime/);
});

it('the function that streams chat stays small, and so does the one that reads for it', () => {
  const sizes = Object.fromEntries(bundles.map(({ name, code }) => [name, code.length]));

  // A third of it is the client of model providers, and a seventh that of S3, by which it reads files that a message names.
  expect(sizes['stream-chat']).toBeLessThan(1_305_000);
  expect(sizes['read-document']).toBeLessThan(250_000);
});

it('the tables of a tokenizer lie beside the functions that may count by it', () => {
  const counting = having(({ files }) => files.includes('o200k-tokens.mjs'));

  expect(counting).toEqual(having(({ code }) => code.includes('o200k-tokens')));
  expect(counting).toContain('create-chat-completion');
  expect(having(({ code }) => code.includes(' phosphorylation'))).toEqual([]);
});

it('the function that reads documents for others has no client of AWS', () => {
  const code = bundles.find(({ name }) => name === 'read-document')?.code ?? '';

  expect(['aws-sdk', 'amazonaws'].filter((text) => code.includes(text))).toEqual([]);
});

it('only functions that put, read or delete objects carry the client of S3', () => {
  expect(having(({ code }) => code.includes('NoSuchBucket'))).toEqual([
    ...[
      'add-upload-part',
      'cancel-upload',
      'complete-upload',
      'create-batch',
      'create-chat-completion',
    ],
    ...['create-file', 'create-response', 'delete-file', 'delete-job'],
    ...[
      'estimate-job',
      'expand-folder',
      'get-file',
      'get-file-content',
      'get-job',
      'get-job-page',
      'run-chat-job',
      'run-ocr-job',
      'search-drive',
    ],
    ...['stream-chat', 'submit-job', 'sweep'],
  ]);
});

it('only functions that need a secret carry the client of its store, and of no other', () => {
  expect(having(({ code }) => code.includes('secretsmanager.'))).toContain('stream-chat');
  expect(having(({ code }) => code.includes('AmazonSSM'))).toEqual([]);
});
