import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, expect, it } from 'vitest';
import { some } from '../support/run/cases.ts';
import { shared } from '../support/run/shared.ts';
import { poll } from '../support/servers/poll.ts';
import { commandLine, startedBy } from '../support/servers/processes.ts';
import { newDataDir } from '../support/servers/stage.ts';

const running = await shared('stage');
const folder = newDataDir();

afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Runs `bin/local.ts` to its end. */
async function runLocal(options: string[], env: NodeJS.ProcessEnv = {}) {
  const { PATH, HOME, NODE_COMPILE_CACHE } = process.env;
  const child = spawn(process.execPath, ['bin/local.ts', ...options], {
    env: {
      PATH,
      HOME,
      NODE_COMPILE_CACHE,
      NO_COLOR: '1',
      QUIRE_ASSEMBLY: await shared('assembly'),
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [stdout, stderr, [exitCode]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'exit'),
  ]);
  return { exitCode, stdout, stderr };
}

it('shows its options', async () => {
  const { exitCode, stdout, stderr } = await runLocal(['--help']);

  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
  expect(stdout).toMatch(/--port N[\s\S]*--data DIR[\s\S]*--memory/);
});

const aFile = join(folder, 'a file');
writeFileSync(aFile, '');
writeFileSync(join(folder, 'catalogue.json'), '{"models": []}');

const refusedOptions: [what: string, options: string[], sentence: RegExp][] = [
  ['a port that is no number', ['--port', 'http'], /^--port takes a number.*\n$/],
  ['a port above 65535', ['--port', '65536'], /^--port takes a number.*\n$/],
  [
    'an option it does not know',
    ['--prot', '1'],
    /^There is no option --prot \(did you mean --port\?\); npm start -- --help .*\n$/,
  ],
  ['a data folder that is a file', ['--data', aFile], /^The data folder .* can't be used: .*\n$/],
  [
    'a data folder inside a file',
    ['--data', join(aFile, 'data')],
    /^The data folder .* can't be used: .*\n$/,
  ],
  [
    'the data folder of a stage that runs',
    ['--memory', '--data', running.dataDir],
    /^Another stage runs on .*: stop it first, or give .* --data\.\n$/,
  ],
  [
    'a port that is taken',
    ['--memory', '--data', join(folder, 'data'), '--port', new URL(running.base_url).port],
    /^Port \d+ is in use: give another with --port, or 0 for any\.\n$/,
  ],
];

it.concurrent.each(some(3, refusedOptions))(
  'refuses %s with a sentence and exit code 1',
  { tags: 'exhaustive' },
  async (_, options, sentence) => {
    const { exitCode, stderr } = await runLocal(options);

    expect(stderr).toMatch(sentence);
    expect(exitCode).toBe(1);
  },
);

const memory = ['--memory', '--port', '0', '--data', join(folder, 'memory')];

const refusedEnvironments: [
  what: string,
  options: string[],
  env: NodeJS.ProcessEnv,
  sentence: RegExp,
][] = [
  [
    'models at a URL without http://',
    ['--model', 'llama3.2'],
    { OPENAI_BASE_URL: 'localhost:11434/v1' },
    /^OPENAI_BASE_URL is "localhost:11434\/v1": .*, such as http:\/\/localhost:11434\/v1\.\n$/,
  ],
  [
    'models at what is no URL',
    [],
    { OPENAI_BASE_URL: 'ftp://foo' },
    /^OPENAI_BASE_URL is "ftp:\/\/foo": it should be a URL that begins with http:\/\/ or https:\/\/\.\n$/,
  ],
  [
    'a SearXNG at a URL without http://',
    memory,
    { SEARXNG_URL: 'searxng' },
    /^SEARXNG_URL is "searxng": .*, such as http:\/\/searxng\.\n$/,
  ],
  [
    'a ceiling that is no amount',
    [...memory, '--day-ceiling-usd', 'much'],
    { QUIRE_ASSEMBLY: '' },
    /The setting quire:dayCeilingUsd is "much": it should be US dollars from 0 to 1000000\.\n$/,
  ],
  [
    'a DynamoDB at a URL without http://',
    memory,
    { AWS_ENDPOINT_URL_DYNAMODB: 'localhost:8000' },
    /^AWS_ENDPOINT_URL_DYNAMODB is "localhost:8000": .*, such as http:\/\/localhost:8000\.\n$/,
  ],
  [
    'a DynamoDB that is not there',
    memory,
    { AWS_ENDPOINT_URL_DYNAMODB: 'http://localhost:9' },
    /^No DynamoDB answers at http:\/\/localhost:9 \(ECONNREFUSED\): start .*\n$/,
  ],
  [
    'a folder without an assembly',
    memory,
    { QUIRE_ASSEMBLY: folder },
    /^QUIRE_ASSEMBLY names .*, which holds no synthesized app: ENOENT.*\nnpm run synth makes one.*\n$/,
  ],
  [
    'a catalogue that is missing',
    memory,
    { QUIRE_CATALOGUE: '/nowhere.json' },
    /^The model catalogue \/nowhere\.json can't be read: ENOENT.*\n$/,
  ],
  [
    'a catalogue that is faulty',
    memory,
    { QUIRE_CATALOGUE: join(folder, 'catalogue.json') },
    /^The model catalogue is faulty:\n(× .*\n {2}→ at .*\n)+$/,
  ],
];

it.each(some(4, refusedEnvironments))(
  'refuses %s with a sentence and exit code 1',
  { tags: 'exhaustive' },
  async (_, options, env, sentence) => {
    const { exitCode, stderr } = await runLocal(options, env);

    expect(stderr).toMatch(sentence);
    expect(exitCode).toBe(1);
  },
);

it.each([
  ['killed', 'SIGKILL', null],
  ['stopped', 'SIGINT', 130],
] as const)(
  'takes its synthesis along when it is %s at its start',
  { tags: 'exhaustive' },
  async (how, signal, exitCode) => {
    const { PATH, HOME, NODE_COMPILE_CACHE } = process.env;
    const dataDir = join(folder, how);
    const options = ['--memory', '--port', '0', '--data', dataDir];
    const child = spawn(process.execPath, ['bin/local.ts', ...options], {
      env: { PATH, HOME, NODE_COMPILE_CACHE },
      stdio: 'ignore',
    });
    const isSynthesis = (id: number) => /^\S*node\0\S*bin\/app\.ts/.test(commandLine(id));
    const started = await poll(
      () => startedBy(child.pid ?? 0),
      (ids) => ids.some(isSynthesis),
    );

    child.kill(signal);

    expect(await once(child, 'exit')).toContain(exitCode);
    await poll(
      () => started.filter(isSynthesis),
      ({ length }) => length === 0,
    );
    expect(existsSync(join(dataDir, 'deployment/manifest.json')), 'it came to its end').toBe(false);
  },
);
