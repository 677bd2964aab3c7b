import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { pdfOf } from '../support/fixtures/pdfs.ts';
import { shared } from '../support/run/shared.ts';
import { useFolder } from '../support/run/use-folder.ts';
import { cleanEnvironment, inOwnProcess, runCommand } from '../support/servers/command.ts';
import { newCaller } from '../support/servers/new-caller.ts';

const stage = await shared('stage');
const { base_url, api_key } = await newCaller(stage);
const home = useFolder();
const samples = new URL('../../lib/local/drive/samples/', import.meta.url).pathname;
const invoice = join(samples, 'invoice.pdf');
const fields = JSON.stringify({
  ...{ supplier: 'Harbour Ltd', invoice_number: 'A-1', date: '2026-01-31', total: 12.5 },
  lines: [{ item: 'Valve', quantity: 2, amount: 3.5 }],
});

const service = { QUIRE_BASE_URL: base_url, QUIRE_API_KEY: api_key };
const quire = (args: string[], env: Record<string, string> = service) =>
  runCommand('quire', home, args, env);

describe('npm run quire -- submit', () => {
  it('prints the text of each file under its name', async () => {
    const notes = join(samples, 'notes.txt');

    const { code, stdout, stderr } = await quire(['submit', notes, invoice]);

    expect(code).toBe(0);
    expect(stdout).toContain(`--- notes.txt ---\n${readFileSync(notes, 'utf8')}`);
    expect(stdout).toMatch(/--- invoice\.pdf ---\nInvoice\n[\s\S]*Brass rings/);
    expect(stderr).toMatch(/^notes\.txt: done, \$0\.00 \(job_/m);
  });

  it('says why a text is empty', async () => {
    const blank = join(home, 'blank.pdf');
    writeFileSync(blank, await pdfOf([{ blank: true }, { blank: true }]));

    const { code, stderr } = await quire(['submit', blank]);

    expect(code).toBe(0);
    expect(stderr).toMatch(
      /^blank\.pdf: done, .*\n {2}There is no text in the document\. Page 1, 2\.$/m,
    );
  });

  it('prints the fields of an invoice', async () => {
    const { code, stdout } = await quire(['submit', invoice, '--fields', fields]);

    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      ...{ supplier: 'Brandt and Daughter', invoice_number: 'BD-2041', date: '2026-03-21' },
      total: 289.5,
      lines: [
        { item: 'Canvas curtain, nine feet by eight', quantity: 1, amount: 148 },
        { item: 'Chain for the foot, per foot', quantity: 11, amount: 60.5 },
        { item: 'Brass rings', quantity: 24, amount: 36 },
        { item: 'Hanging the same', quantity: 1, amount: 45 },
      ],
    });
  });

  it('writes results into a folder, and lists the job', async () => {
    const out = join(home, 'out');

    const { code, stdout } = await quire(['submit', invoice, '--ask', 'What is it?', '--out', out]);
    const listed = await quire(['jobs', '--watch']);

    expect(code).toBe(0);
    expect(stdout).toBe(`${join(out, 'invoice.pdf.result.md')}\n`);
    expect(readdirSync(out)).toEqual(['invoice.pdf.result.md']);
    expect(readFileSync(join(out, 'invoice.pdf.result.md'), 'utf8')).toContain('[offline model');
    expect(listed.stdout).toMatch(/^FILE +TASK +STATUS +COST +CREATED +ID\n/);
    expect(listed.stdout).toMatch(/^invoice\.pdf +ocr, answer +done +\$0\.0/m);
  });

  it('takes a file of more than a request may carry in parts', async () => {
    const path = join(home, 'long.txt');
    const text = `${'One line of many.\n'.repeat(300_000)}The last line.`;
    writeFileSync(path, text);

    const { code, stdout } = await quire(['submit', path]);

    expect(code).toBe(0);
    expect(stdout).toBe(`${text}\n`);
  });

  it('exits with 1 where a job fails, and says why', async () => {
    const path = join(home, 'film.mp4');
    writeFileSync(path, '\0\0\0\x10ftypisom\0\0\0\0');

    const { code, stdout, stderr } = await quire(['submit', path]);

    expect({ code, stdout }).toEqual({ code: 1, stdout: '\n' });
    expect(stderr).toMatch(/film\.mp4: failed: unsupported_file_type: film\.mp4 is a video/);
  });

  it.each([
    [['submit'], 'Name the files to submit, or a folder of the drive by --folder ID.'],
    [['submit', 'absent.pdf'], 'absent.pdf is no file.'],
    [['submit', samples], 'is a folder: name the files in it.'],
    [['submit', invoice, '--out', invoice], 'file already exists.'],
    [['ask', 'Well?', '--model', 'gpt-5-mni'], 'model: no such model'],
    [['submit', invoice, '--fields', '{'], '--fields takes JSON or @FILE: '],
    [['submit', invoice, '--ask', 'a', '--fields', '{}'], '--ask and --fields are two tasks'],
    [['submit', invoice, '--type', 'scan'], 'job_type: '],
    [['submit', '--folder', 'unknown'], 'this API key may read no folder of the drive'],
    [['ask'], 'ask needs a question'],
    [['result', 'invoice.pdf'], 'as npm run quire -- jobs shows them.'],
    [['result', 'job_unknown'], 'There is no such job.'],
  ])('refuses %s in one sentence', async (args, sentence) => {
    const { code, stdout, stderr } = await quire(args);

    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr.split('\n')).toHaveLength(2);
    expect(stderr).toContain(sentence);
  });
});

describe('npm run quire --', () => {
  it('ask prints an answer', async () => {
    const { code, stdout } = await quire(['ask', 'Say hello.']);

    expect(code).toBe(0);
    expect(stdout).toContain('[offline model');
  });

  it('result prints what a job came to', async () => {
    const { stdout: id } = await quire(['submit', invoice, '--no-wait']);

    const { code, stdout } = await quire(['result', id.trim()]);

    expect(code).toBe(0);
    expect(stdout).toContain('Brass rings');
  });

  it('reaches this machine without the proxy that the environment names', async () => {
    const proxy = 'http://127.0.0.1:9';
    const named = { NODE_USE_ENV_PROXY: '1', HTTP_PROXY: proxy, http_proxy: proxy };
    const env = { ...cleanEnvironment(home), ...service, ...named };

    const { code, stderr } = await inOwnProcess({ file: 'bin/quire.ts', args: ['limits'], env });

    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  });

  it('limits says what is left', async () => {
    const { stdout } = await quire(['limits']);

    expect(stdout).toMatch(/^Budget +\$[\d.]+ .*\nPages +\d+ of \d+ left/);
  });

  it.each([
    [{}, /^No local stage has run in \.local-none: start it with npm start, or set QUIRE_BASE_URL/],
    [{ QUIRE_BASE_URL: 'http://127.0.0.1:9' }, /^QUIRE_BASE_URL needs a key beside it/],
    [{ QUIRE_BASE_URL: 'here', QUIRE_API_KEY: 'sk-x' }, /^QUIRE_BASE_URL takes an address/],
    [
      { QUIRE_BASE_URL: 'localhost:8080', QUIRE_API_KEY: 'sk-x' },
      /^QUIRE_BASE_URL takes an address/,
    ],
    [{ QUIRE_BASE_URL: 'http://127.0.0.1:9', QUIRE_API_KEY: 'sk-x' }, /can't be reached/],
    [
      { ...service, QUIRE_API_KEY: 'sk-wrong' },
      /doesn't take the API key in QUIRE_API_KEY: it is none, or has ended\.$/m,
    ],
  ])('says what is missing in the environment %o', async (env, sentence) => {
    const { code, stderr } = await quire(['jobs', '--data', '.local-none'], env as typeof service);

    expect(code).toBe(1);
    expect(stderr).toMatch(sentence);
  });
});

describe('Ctrl-C ends npm run quire', () => {
  const goesOn =
    '\nStopped looking. Jobs that were submitted go on: npm run quire -- jobs lists them.\n';

  it.each([
    { name: 'jobs', args: ['jobs', '--watch'], told: goesOn },
    { name: 'submit', args: ['submit', invoice], told: goesOn },
    { name: 'ask', args: ['ask', 'Say hello.'], told: '\n' },
  ])('-- $name with 130 and a word of what goes on', async ({ args, told }) => {
    const silent = createServer();
    await once(silent.listen(0, '127.0.0.1'), 'listening');
    const url = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`;
    const env = { ...cleanEnvironment(home), QUIRE_BASE_URL: url, QUIRE_API_KEY: api_key };
    const child = spawn(process.execPath, ['bin/quire.ts', ...args], { env });
    const printed = Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
    await once(silent, 'request');

    child.kill('SIGINT');

    expect(await printed).toEqual(['', told, [130, null]]);
    silent.closeAllConnections();
    silent.close();
  });
});
