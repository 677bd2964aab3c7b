import { RootConstruct } from 'constructs';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { readSettings, type Settings } from '../../lib/stack/settings/settings.ts';
import { refuseWithoutTextract } from '../../lib/stack/settings/textract-regions.ts';
import { setting } from '../../shared/config.ts';

function settingsOf(context: Record<string, unknown>): Settings {
  const app = new RootConstruct();
  for (const [name, value] of Object.entries(context)) app.node.setContext(name, value);
  return readSettings(app.node);
}

const tagsWanted = 'tags such as team=search, separated by commas';
const kmsKey = 'arn:aws:kms:us-east-1:000000000000:key/12345678-1234-1234-1234-123456789012';
const certificate = 'arn:aws:acm:us-east-1:000000000000:certificate/1234-abcd';
const urlWanted = 'a URL that begins with http:// or https://';
const originsWanted = 'origins such as https://app.example.com, separated by commas, or *';

describe('settings', () => {
  it('have a default each', () => {
    const settings = settingsOf({});

    expect(settings).toEqual({
      stageName: 'prod',
      removalPolicy: 'retain',
      deletionProtection: false,
      logRetentionDays: 30,
      jobRetentionDays: 90,
      chatWorkers: 20,
      ocrWorkers: 10,
      folderWorkers: 2,
      completionsMemoryMb: 512,
      textractPagesPerSecond: 5,
      embeddingModels: [],
      documentMaxMb: 200,
      documentMaxPages: 3000,
      documentPageSeconds: 30,
      filesPerKey: 10_000,
      fileMbPerKey: 10_240,
      laneShards: 1,
      sweeps: 1,
      concurrency: 1000,
      reservedConcurrency: true,
      requestsPerMinute: 6000,
      tags: {},
      corsOrigins: [],
      search: 'none',
      researchMaxUsd: 0.5,
      models: [],
      gatewayAccount: true,
      acceptReplacements: false,
      anyRegion: false,
      secrets: 'secrets-manager',
      alarms: 'essential',
      events: false,
      dashboard: false,
      canary: false,
      tracing: false,
    });
  });

  it.each<[keyof Settings, unknown, unknown]>([
    ['stageName', 'Test-2', 'Test-2'],
    ['removalPolicy', 'destroy', 'destroy'],
    ['deletionProtection', 'true', true],
    ['logRetentionDays', 3653, 3653],
    ['logRetentionDays', '7', 7],
    ['jobRetentionDays', 1, 1],
    ['jobRetentionDays', '3650', 3650],
    ['chatWorkers', 2, 2],
    ['chatWorkers', '500', 500],
    ['completionsMemoryMb', '256', 256],
    ['filesPerKey', '5', 5],
    ['fileMbPerKey', 1, 1],
    ['laneShards', '64', 64],
    ['sweeps', '16', 16],
    ['concurrency', '10000', 10_000],
    ['requestsPerSecond', '200000', 200_000],
    ['reservedConcurrency', true, true],
    ['reservedConcurrency', 'false', false],
    ['requestsPerMinute', 'none', undefined],
    ['requestsPerMinute', '600', 600],
    ['waf', 'none', undefined],
    ['waf', '2000', 2000],
    ['alarmEmail', 'ops@example.com', 'ops@example.com'],
    ['dashboard', true, true],
    ['events', 'true', true],
    ['canary', 'true', true],
    ['tags', 'team=search, cost-center=4=2', { team: 'search', 'cost-center': '4=2' }],
    ['tags', { team: 'search' }, { team: 'search' }],
    ['corsOrigins', '*', ['*']],
    ['corsOrigins', ['https://a.example'], ['https://a.example']],
    [
      'corsOrigins',
      'https://a.example, http://localhost:5173',
      ['https://a.example', 'http://localhost:5173'],
    ],
    ['search', 'brave', 'brave'],
    ['searchUrl', 'http://search.example', 'http://search.example'],
    ['researchMaxUsd', '0.25', 0.25],
    ['researchMaxUsd', 2, 2],
    ['dayCeilingUsd', '500', 500],
    ['models', 'llama3.2=0.1,0.4  qwen3=0,0', ['llama3.2=0.1,0.4', 'qwen3=0,0']],
    ['models', ['llama3.2'], ['llama3.2']],
    ['modelsUrl', 'http://models.example/v1', 'http://models.example/v1'],
    ['gatewayAccount', 'false', false],
    ['acceptReplacements', true, true],
    ['secrets', 'parameters', 'parameters'],
    ['kmsKey', kmsKey, kmsKey],
    ['alarms', 'all', 'all'],
    ['alarms', 'none', 'none'],
    ['tracing', 'true', true],
  ])('take %s %j', (name, given, read) => {
    const settings = settingsOf({ [`quire:${name}`]: given });

    expect(settings[name]).toEqual(read);
  });

  it.each<[keyof Settings, unknown, string]>([
    ['stageName', '', '1 to 64 letters, digits or hyphens'],
    ['stageName', 'a_b', '1 to 64 letters, digits or hyphens'],
    ['stageName', 'a'.repeat(65), '1 to 64 letters, digits or hyphens'],
    ['stageName', 5, '1 to 64 letters, digits or hyphens'],
    ['removalPolicy', 'keep', 'retain or destroy'],
    ['logRetentionDays', 0, 'a whole number from 1 to 3653'],
    ['logRetentionDays', 2, 'one of 1, 3, 5, 7, 14, 30, 60, 90, 180, 365, 731, 1827, 3653'],
    ['logRetentionDays', 1.5, 'a whole number from 1 to 3653'],
    ['jobRetentionDays', 0, 'a whole number from 1 to 3650'],
    ['jobRetentionDays', 3651, 'a whole number from 1 to 3650'],
    ['jobRetentionDays', '', 'a whole number from 1 to 3650'],
    ['jobRetentionDays', '1e3', 'a whole number from 1 to 3650'],
    ['jobRetentionDays', null, 'a whole number from 1 to 3650'],
    ['chatWorkers', 1, 'a whole number from 2 to 1000'],
    ['chatWorkers', true, 'a whole number from 2 to 1000'],
    ['completionsMemoryMb', 128, 'a whole number from 256 to 10240'],
    ['filesPerKey', 0, 'a whole number from 1 to 1000000'],
    ['laneShards', 65, 'a whole number from 1 to 64'],
    ['sweeps', 17, 'a whole number from 1 to 16'],
    ['concurrency', 9, 'a whole number from 10 to 100000'],
    ['requestsPerSecond', 19, 'a whole number from 20 to 200000'],
    ['requestsPerMinute', 0, 'a whole number from 1 to 999999999, or none'],
    ['waf', true, 'a whole number from 10 to 2000000000, or none'],
    ['waf', 9, 'a whole number from 10 to 2000000000, or none'],
    ['domain', 'https://api.example.com', 'a name such as api.example.com'],
    ['domain', 'localhost', 'a name such as api.example.com'],
    ['certificate', kmsKey, 'the ARN of a certificate of ACM'],
    ['tags', 'team', tagsWanted],
    ['tags', 'aws:team=search', tagsWanted],
    ['tags', { team: 1 }, tagsWanted],
    ['corsOrigins', 'https://a.example/', originsWanted],
    ['corsOrigins', ['a.example'], originsWanted],
    ['corsOrigins', 'https://*.a.example', originsWanted],
    ['corsOrigins', 1, originsWanted],
    ['search', 'google', 'none, searxng, brave or tavily'],
    ['searchUrl', 'search.example', urlWanted],
    ['searchUrl', 'localhost:8888', urlWanted],
    ['modelsUrl', 'localhost:11434/v1', urlWanted],
    ['modelsUrl', 'http://', urlWanted],
    ['modelsUrl', 1, urlWanted],
    ['researchMaxUsd', -1, 'US dollars from 0 to 1000'],
    ['researchMaxUsd', 'much', 'US dollars from 0 to 1000'],
    ['dayCeilingUsd', '500/day', 'US dollars from 0 to 1000000'],
    ['alarmEmail', 'ops', 'an e-mail address'],
    ['secrets', 'vault', 'secrets-manager or parameters'],
    ['kmsKey', 'alias/quire', 'the ARN of a key of KMS'],
    ['kmsKey', kmsKey.replace('key', 'alias'), 'the ARN of a key of KMS'],
    ['alarms', 'no', 'essential, all or none'],
    ['alarms', 1, 'essential, all or none'],
  ])('refuse %s %j in a sentence that names it', (name, given, wanted) => {
    const context = { [`quire:${name}`]: given };

    const sentence = `The setting quire:${name} is ${JSON.stringify(given)}: it should be ${wanted}.`;
    expect(() => settingsOf(context)).toThrow(new Error(sentence));
  });

  it('refuse an unknown name, listing those there are', () => {
    const context = { 'quire:chatWorker': 5 };

    expect(() => settingsOf(context)).toThrow(
      /^There is no setting quire:chatWorker; the settings are quire:stageName, .*quire:tracing\.$/,
    );
  });

  it('want the address of a SearXNG', () => {
    expect(() => settingsOf({ 'quire:search': 'searxng' })).toThrow(
      'The setting quire:searchUrl is missing: it should say where the SearXNG is.',
    );
    const given = { 'quire:search': 'searxng', 'quire:searchUrl': 'http://searxng.example' };
    expect(settingsOf(given)).toMatchObject({ searchUrl: 'http://searxng.example' });
  });

  it.each([
    [{ concurrency: 50 }],
    [{ chatWorkers: 600 }],
    [{ concurrency: 10, chatWorkers: 2, ocrWorkers: 2, folderWorkers: 3 }],
  ])('leave room for callers beside the workers: not %j', (given) => {
    const named = Object.entries(given).map(([name, value]) => [`quire:${name}`, value]);

    expect(() => settingsOf(Object.fromEntries(named))).toThrow(
      'The settings quire:chatWorkers, quire:ocrWorkers and quire:folderWorkers are more than 60 % of quire:concurrency',
    );
  });

  it('fit an account that begins with ten functions at once', () => {
    const workers = { 'quire:chatWorkers': 2, 'quire:ocrWorkers': 2, 'quire:folderWorkers': 2 };

    expect(settingsOf({ 'quire:concurrency': 10, ...workers })).toMatchObject({ concurrency: 10 });
  });

  it('reserve nothing of a small quota', () => {
    const given = { 'quire:concurrency': 249, 'quire:reservedConcurrency': true };

    expect(() => settingsOf(given)).toThrow(/quire:reservedConcurrency needs a .* of 250 or more/);
  });

  it.each([
    [{ concurrency: 250 }, true],
    [{ concurrency: 249 }, false],
    [{ chatWorkers: 288 }, true],
    [{ chatWorkers: 289 }, false],
  ])('reserve by default where enough is left: %j', (given, reservedConcurrency) => {
    const named = Object.entries(given).map(([name, value]) => [`quire:${name}`, value]);

    expect(settingsOf(Object.fromEntries(named))).toMatchObject({ reservedConcurrency });
  });

  it('leave room beside what is reserved', () => {
    const given = { 'quire:chatWorkers': 289, 'quire:reservedConcurrency': true };

    expect(() => settingsOf(given)).toThrow('are more than 30 % of quire:concurrency');
  });

  it.each([{ 'quire:domain': 'api.example.com' }, { 'quire:certificate': certificate }])(
    'want a name and its certificate together: %j',
    (given) => {
      expect(() => settingsOf(given)).toThrow(
        'The settings quire:domain and quire:certificate need each other: a name, and the certificate for it.',
      );
      const both = { 'quire:domain': 'api.example.com', 'quire:certificate': certificate };
      expect(settingsOf(both)).toMatchObject({ domain: 'api.example.com', certificate });
    },
  );

  it('protect no tables that shall be destroyed', () => {
    const given = { 'quire:deletionProtection': true, 'quire:removalPolicy': 'destroy' };

    expect(() => settingsOf(given)).toThrow(
      "The setting quire:deletionProtection needs quire:removalPolicy=retain: protected tables can't be destroyed.",
    );
  });

  it('name all that is wrong at once', () => {
    const context = { 'quire:chatWorkers': 1, 'quire:alarms': 'no' };

    expect(() => settingsOf(context)).toThrow(/quire:chatWorkers .*\n.*quire:alarms /);
  });

  it('leave the CDK’s own context alone', () => {
    const context = { '@aws-cdk/core:checkSecretUsage': true, quire: 'x', 'aws:cdk:x': 1 };

    expect(() => settingsOf(context)).not.toThrow();
  });
});

describe('a function’s own setting', () => {
  afterEach(() => vi.unstubAllEnvs());

  it.each(['OPENAI_BASE_URL', 'SEARCH_URL'] as const)('%s is a URL of http', (name) => {
    vi.stubEnv(name, 'https://models.example/v1');
    expect(setting(name)).toBe('https://models.example/v1');
    vi.stubEnv(name, 'localhost:11434/v1');
    expect(() => setting(name)).toThrow(`${name}: should be ${urlWanted}`);
  });
});

describe('a region', () => {
  it.each(['us-east-1', 'eu-south-2', undefined])('%s passes', (region) => {
    expect(() => refuseWithoutTextract(region)).not.toThrow();
  });

  it('without Textract is refused in a sentence that names those with it', () => {
    expect(() => refuseWithoutTextract('eu-north-1')).toThrow(
      /^Textract is not in eu-north-1: deploy to one of us-east-1, .*-c quire:anyRegion=true\.$/,
    );
  });
});
