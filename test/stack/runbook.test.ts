import { globSync, readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import { measure } from '../../shared/metrics.ts';
import { writtenLines } from '../support/run/output.ts';
import { all, only } from '../support/run/stack-template.ts';

// Its procedures are what operators decide, without an alarm.
const [runbook = ''] = readFileSync('lib/RUNBOOK.md', 'utf8').split(/^# Procedures/m);
const sections = new Map(
  runbook
    .split(/^## /m)
    .slice(1)
    .map((section) => [section.slice(0, section.indexOf('\n')), section]),
);
const queries = [...sections].flatMap(([name, section]) => {
  const [, block = ''] = section.split('```');
  return block
    .trim()
    .split('\n')
    .map((query) => [name, query] as const);
});

/** What the code logs: each message with its fields. */
const lines = new Map<string, Set<string>>();

beforeAll(() => {
  for (const file of globSync(['shared/**/*.ts', 'functions/*.ts'])) {
    const code = readFileSync(file, 'utf8');
    for (const [, message = '', rest = ''] of code.matchAll(
      /\blog\(\s*'\w+',\s*'([^']+)'(?:,\s*([\s\S]*?))?\);/g,
    )) {
      const fields: string[] = rest.match(/\w+(?=\s*[:,}])/g) ?? [];
      if (rest.includes('errorFields')) fields.push('error', 'cause', 'stack');
      lines.set(message, new Set([...(lines.get(message) ?? []), ...fields]));
    }
  }
});

/** The fields that a query reads, without those that Logs Insights itself adds and those it names. */
function fieldsIn(query: string): string[] {
  const bare = query.replace(/"[^"]*"|\/[^/]+\//g, '');
  const named = [...bare.matchAll(/ as (\w+)/g)].map(([, name]) => name);
  const words = bare.match(/(?<![@\w])[a-zA-Z_]\w*(?!\w*\()/g) ?? [];
  const syntax = ['filter', 'stats', 'sort', 'limit', 'by', 'as', 'and', 'or', 'like', 'desc'];
  return words.filter((word) => ![...syntax, ...named, 'm'].includes(word));
}

describe('the runbook', () => {
  it('has a section for each alarm, and none without one', () => {
    const named = all('AWS::CloudWatch::Alarm').map(
      ([, { AlarmDescription }]) => AlarmDescription.match(/ Runbook: (.+)\.$/)?.[1],
    );

    // It is there where a ceiling is set.
    const withSettings = [...named, 'Day ceiling'];
    expect([...new Set(withSettings)].sort()).toEqual([...sections.keys()].sort());
  });

  it.each([...sections])(
    '%s says what is noticed, what to do, and when it is over',
    (_, section) => {
      expect(section.match(/^\*\*(Users notice|Do|Over)\*\*/gm)).toEqual([
        '**Users notice**',
        '**Do**',
        '**Over**',
      ]);
    },
  );

  it.each(queries)('%s asks for what the service logs: %s', (_, query) => {
    const messages = [...query.matchAll(/message = "([^"]+)"/g)].map(([, message = '']) => message);
    const logged = messages.flatMap((message) => [...(lines.get(message) ?? [])]);
    const access = Object.keys(JSON.parse(only('AWS::ApiGateway::Stage').AccessLogSetting.Format));

    expect(messages.filter((message) => !lines.has(message))).toEqual([]);
    const known = new Set([
      ...logged,
      ...access,
      ...metricFields(),
      'level',
      'message',
      'function',
      'error',
    ]);
    expect(fieldsIn(query).filter((field) => !known.has(field))).toEqual([]);
  });

  it('can tell a field that nobody logs', () => {
    expect(
      fieldsIn('filter message = "request" and sttus > 1 | stats count(*) as n by rout, bin(5m)'),
    ).toEqual(['message', 'sttus', 'rout']);
  });
});

/** The fields of real metric lines: those that the runbook's queries ask for. */
function metricFields(): string[] {
  measure({ Errors: 1, Faults: 1 }, { code: 'internal_error' });
  measure({ QueueAgeMs: 1 }, { lane: 'chat' });
  measure({ OldestReadyMs: 1 });
  const written = writtenLines().filter((line) =>
    /"(Faults|QueueAgeMs|OldestReadyMs)":/.test(line),
  );
  expect(written.length).toBe(3);
  return written.flatMap((line) => Object.keys(JSON.parse(line)));
}
