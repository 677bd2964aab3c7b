import { readFileSync } from 'node:fs';

/** The README that people see first. */
export const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8');

/** Its blocks for a shell, each whole. */
export const shellBlocks = [...readme.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(
  ([, block = '']) => block,
);

/** The rows of its table of clients: the client's name, and the pieces of code beside it. */
export const clientRows = [...readme.matchAll(/^\| (?!client|---)(.+?) \| (.+) \|$/gm)].map(
  ([, client = '', how = '']) => ({
    client,
    code: [...how.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code),
  }),
);

/** The one thing that differs on a stage of a test: where it listens. */
export const atStage = (text: string, baseUrl: string) =>
  text.replaceAll('localhost:8080', new URL(baseUrl).host);
