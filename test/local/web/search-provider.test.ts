import { GetSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { clientConfig } from '../../../lib/local/engines/client-config.ts';
import { searchContext, searchProvider } from '../../../lib/local/search-provider.ts';
import {
  type Engines,
  endpointsOf,
  startSecrets,
  type TemplateServers,
} from '../../../lib/local/stage/engines.ts';
import { StageError } from '../../../lib/local/stage-error.ts';
import { ResourceNames } from '../../../lib/local/template/resource-names.ts';
import type { Template } from '../../../lib/local/template/template.ts';

const machine = (environment: Record<string, string>) => {
  for (const name of ['SEARXNG_URL', 'BRAVE_API_KEY', 'TAVILY_API_KEY']) {
    vi.stubEnv(name, environment[name]);
  }
};
afterEach(() => {
  vi.unstubAllEnvs();
});

const engine = (name: string) => ({
  url: `http://${name}`,
  searchUrl: `http://${name}/searxng`,
  close: async () => {},
});
const enginesOf = (...names: string[]) =>
  Object.fromEntries(names.map((name) => [name, engine(name)]));
const engines = {
  ...enginesOf('dynamodb', 'queues', 'textract'),
  providers: enginesOf('drive', 'web', 'offlineModel'),
} as unknown as Engines;
const servers: TemplateServers = { secrets: engine('secrets'), invoke: engine('invoke') };

const environmentOf = (name: string) => endpointsOf(name, engines, servers);

const ownSearxng = { 'quire:search': 'searxng', 'quire:searchUrl': 'http://127.0.0.1' };
const SEARXNG_URL = 'https://search.example';

describe.each<[string, Record<string, string>, object]>([
  ['names none', {}, { context: ownSearxng, SEARCH_URL: 'http://web/searxng', secret: 'none' }],
  [
    'names all of them by nothing',
    { SEARXNG_URL: '', BRAVE_API_KEY: '', TAVILY_API_KEY: '' },
    { context: ownSearxng, SEARCH_URL: 'http://web/searxng', secret: 'none' },
  ],
  [
    'names a SearXNG',
    { SEARXNG_URL, BRAVE_API_KEY: 'b' },
    {
      context: { 'quire:search': 'searxng', 'quire:searchUrl': SEARXNG_URL },
      SEARCH_URL: SEARXNG_URL,
      secret: 'none',
    },
  ],
  [
    'has a key of Brave',
    { BRAVE_API_KEY: 'b', TAVILY_API_KEY: 't' },
    { context: { 'quire:search': 'brave' }, secret: 'b' },
  ],
  [
    'has a key of Tavily',
    { TAVILY_API_KEY: 't' },
    { context: { 'quire:search': 'tavily' }, secret: 't' },
  ],
])('a machine that %s', (_, environment, expected) => {
  it('has a provider that the app, the functions and the secret agree on', async () => {
    machine(environment);

    const context = searchContext(searchProvider());
    const { SEARCH_URL } = environmentOf('run-chat-job');
    const secret = await secretOf('search');

    expect({ context, secret, ...(SEARCH_URL && { SEARCH_URL }) }).toEqual(expected);
  });
});

it('a SearXNG without http:// is refused in a sentence that says what to write', () => {
  machine({ SEARXNG_URL: 'localhost:8888' });

  expect(() => searchProvider()).toThrow(
    new StageError(
      'SEARXNG_URL is "localhost:8888": it should be a URL that begins with http:// or https://, such as http://localhost:8888.',
    ),
  );
});

it('the page reader alone may read the web on this machine', () => {
  expect(environmentOf('read-page')).toMatchObject({ READ_PAGE_LOCAL_ORIGIN: 'http://web' });
  expect(environmentOf('run-chat-job')).not.toHaveProperty('READ_PAGE_LOCAL_ORIGIN');
});

/** Returns the value that the stage's Secrets Manager has for a secret of this name. */
async function secretOf(name: string): Promise<string | undefined> {
  const template: Template = {
    Resources: {
      secret: {
        Type: 'AWS::SecretsManager::Secret',
        Metadata: { 'aws:cdk:path': `quire-Test/search/${name}/Resource` },
      },
    },
  };
  const names = new ResourceNames(template, 'quire-Test');
  const { url, close } = await startSecrets(template, names);
  const client = new SecretsManagerClient(clientConfig(url));
  const { SecretString } = await client.send(
    new GetSecretValueCommand({ SecretId: names.ref('secret') }),
  );
  client.destroy();
  await close();
  return SecretString;
}
