import fc from 'fast-check';
import { countTokens as cl100k } from 'gpt-tokenizer/encoding/cl100k_base';
import { countTokens as o200k } from 'gpt-tokenizer/encoding/o200k_base';
import { countTokens as p50k } from 'gpt-tokenizer/encoding/p50k_base';
import { countTokens as r50k } from 'gpt-tokenizer/encoding/r50k_base';
import { describe, expect, it } from 'vitest';
import { beginningsOf } from '../../shared/models/beginnings.ts';
import type { Model } from '../../shared/models/catalogue.ts';
import { maxPromptTokens, type SizedRequest } from '../../shared/models/token-bounds.ts';
import { dialects } from '../../shared/models/upstreams/wires.ts';
import { cases } from '../support/run/cases.ts';

const model = {
  ...{ id: 'm', upstreams: [], contextWindow: 1_000_000, maxOutputTokens: 10, reasoning: false },
  ...{ maxImageTokens: 500, usdPerMillionTokens: { input: 1, output: 1 } },
} satisfies Model;

const here: unknown[] = ['chat', undefined, 'openai', 'm'];
const user = (content: unknown) => ({ role: 'user', content });
const assistant = (content: unknown) => ({ role: 'assistant', content });

/** How many messages of the later request are a beginning that the earlier one was. */
function known(earlier: SizedRequest, later: SizedRequest, reader = here): number | undefined {
  const whole = beginningsOf(earlier, here).at(-1);
  if (whole?.messages !== earlier.messages.length) return undefined;
  return beginningsOf(later, reader).find(({ hash }) => hash === whole.hash)?.messages;
}

const tool = (name: string) => ({ type: 'function', function: { name, parameters: {} } });
const first = { messages: [user('Mend it.')], tools: [tool('run')] };
const call = { id: 'c1', type: 'function', function: { name: 'run', arguments: '{}' } };
const said = [
  { role: 'assistant', content: null, tool_calls: [call] },
  { role: 'tool', tool_call_id: 'c1', content: 'done' },
];
const goesOn = (change: object = {}, more: unknown[] = said): SizedRequest => ({
  ...first,
  messages: [...first.messages, ...more],
  ...change,
});

describe('a beginning is known', () => {
  it('of a request that goes on after an answer', () => {
    expect(known(first, goesOn())).toBe(1);
    expect(known(goesOn(), goesOn({}, [...said, ...said]))).toBe(3);
  });

  it('whatever is sampled otherwise, limited otherwise, or told of the caller', () => {
    expect(known(first, goesOn({ temperature: 0, max_tokens: 9, stream: true, user: 'b' }))).toBe(
      1,
    );
  });

  it('of what Claude Code sends, whose marks move and whose first line changes', () => {
    const text = (text: string, rest = {}) => ({ type: 'text', text, ...rest });
    const mark = { cache_control: { type: 'ephemeral', ttl: '1h', scope: 'global' } };
    const request = (cch: string, messages: unknown[], metadata: string) =>
      dialects.messages.sized({
        ...{ model: 'claude-opus-4-6', max_tokens: 32_000, thinking: { type: 'adaptive' } },
        system: [
          text(
            `x-anthropic-billing-header: cc_version=2.1.150.f12; cc_entrypoint=cli; cch=${cch};`,
          ),
          text('You are an interactive CLI.', mark),
        ],
        metadata: { user_id: metadata },
        context_management: { edits: [{ type: 'clear_thinking_20251015', keep: 'all' }] },
        messages,
        stream: true,
      });
    const thinking = { type: 'thinking', thinking: 'Hm.', signature: 'EqoBCkgIARAB' };
    const use = { type: 'tool_use', id: 'toolu_1', name: 'Bash', input: { command: 'ls' } };
    const result = { type: 'tool_result', tool_use_id: 'toolu_1', content: 'a.ts' };

    const before = request('b2984', [user([text('Turn one.', mark)])], 'user_a_session_1');
    const after = request(
      '0f3c1',
      [user('Turn one.'), assistant([thinking, use]), user([{ ...result, ...mark }])],
      'user_a_session_2',
    );

    expect(known(before, after)).toBe(2);
  });

  it('of what Codex sends', () => {
    const item = (role: string, type: string, text: string) => ({
      ...{ type: 'message', role },
      content: [{ type, text }],
    });
    const request = (input: unknown[]) =>
      dialects.responses.sized({
        ...{ model: 'gpt-5-codex', instructions: 'You are Codex.', store: false, stream: true },
        ...{ include: ['reasoning.encrypted_content'], prompt_cache_key: 'a', tools: [] },
        input,
      });
    const asked = [item('developer', 'input_text', 'Sandbox.'), item('user', 'input_text', 'Go.')];
    const answer = [
      { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'gAAAAA' },
      { type: 'function_call', call_id: 'c1', name: 'shell', arguments: '{"command":["ls"]}' },
      { type: 'function_call_output', call_id: 'c1', output: 'a.ts' },
    ];

    expect(known(request(asked), request([...asked, ...answer]))).toBe(3);
  });
});

describe('a beginning is not known', () => {
  it.each<[string, SizedRequest, unknown[]?]>([
    ['with other tools', goesOn({ tools: [tool('run'), tool('stop')] })],
    ['with another choice of tools', goesOn({ tool_choice: 'required' })],
    ['with another form of answer', goesOn({ response_format: { type: 'json_object' } })],
    ['with another effort', goesOn({ reasoning_effort: 'high' })],
    ['where its upstream leaves out the middle', goesOn({ truncation: 'auto' })],
    [
      'where tools’ outputs are cleared',
      goesOn({ context_management: { edits: [{ type: 'clear_tool_uses_20250919' }] } }),
    ],
    ['where it is compacted', goesOn({ context_management: [{ type: 'compaction' }] })],
    ['of several choices', goesOn({ n: 2 })],
    ['where a question goes on without an answer', goesOn({}, [user('And that.')])],
    [
      'where instructions are added, which may be put before all',
      goesOn({}, [...said, { role: 'system', content: 'Be brief.' }]),
    ],
    ['where its text changed', { ...first, messages: [user('Mend it!'), ...said] }],
    ['at another upstream', goesOn(), ['chat', undefined, 'azure', 'm']],
    ['as another model of it', goesOn(), ['chat', undefined, 'openai', 'm2']],
    ['in another dialect', goesOn(), ['messages', undefined, 'openai', 'm']],
    ['with other headers', goesOn(), ['chat', { 'anthropic-beta': 'a' }, 'openai', 'm']],
  ])('%s', (_, later, reader = here) => {
    expect(known(first, later, reader)).toBeUndefined();
  });

  it('with a schema whose property has the name of a mark', () => {
    const of = (description: string) => ({
      ...{ type: 'function' },
      function: { name: 'f', parameters: { properties: { cache_control: { description } } } },
    });

    expect(known({ ...first, tools: [of('a')] }, goesOn({ tools: [of('b')] }))).toBeUndefined();
  });

  it('behind a file, which another may have taken the place of', () => {
    const file = { messages: [user([{ type: 'file', file: { file_id: 'file-1' } }])] };

    expect(beginningsOf(file, here)).toEqual([]);
  });
});

describe('the bound of a prompt whose beginning was told', () => {
  const long = 'Find out why this fails. '.repeat(4_000);
  const request = { messages: [user(long), assistant('ok'), user('Go on.')] };

  it('is what was told and the bytes since', () => {
    const bound = maxPromptTokens(model, request, { told: { messages: 1, tokens: 20_000 } });

    expect(bound).toBeGreaterThan(20_000);
    expect(bound).toBeLessThan(20_500);
  });

  it('is never above that of bytes, nor below an eighth of them', () => {
    expect(maxPromptTokens(model, request, { told: { messages: 1, tokens: 900_000 } })).toBe(
      maxPromptTokens(model, request),
    );
    expect(maxPromptTokens(model, request, { told: { messages: 1, tokens: 1 } })).toBeGreaterThan(
      100_000 / 8,
    );
  });

  it('counts images of the beginning once more, and is the whole window with a file', () => {
    const image = { type: 'image_url', image_url: { url: 'https://a.example/b.png' } };
    const text = { type: 'text', text: long };
    const withImage = { messages: [user([text, image]), assistant('ok'), user('Go on.')] };
    const withFile = {
      messages: [user(long), assistant('ok'), user([{ type: 'file', file: {} }])],
    };
    const told = { messages: 1, tokens: 20_000 };

    expect(maxPromptTokens(model, withImage, { told })).toBeGreaterThanOrEqual(20_500);
    expect(maxPromptTokens(model, withFile, { told })).toBe(model.contextWindow);
  });

  const aText = fc.oneof(
    fc.string({ unit: 'grapheme', maxLength: 200 }),
    fc.string({ unit: 'binary', maxLength: 100 }),
    fc.lorem({ maxCount: 60 }),
    fc
      .array(
        fc.constantFrom('word ', ' हिन्दी', '中文', '\n', '    ', '🏳️‍🌈', '{"', '\u0000', '=', 'a'),
      )
      .map((parts) => parts.join('')),
  );
  const aTurn = fc.record({ answer: aText, isCall: fc.boolean(), next: aText });

  /** A template of chat as those of OpenAI: each message between tokens of its own. */
  const templates = [cl100k, o200k, p50k, r50k].map((count) => (messages: readonly unknown[]) => {
    const counts = messages.map((message) => {
      const { role, content, tool_calls } = message as Record<string, string>;
      const calls = tool_calls ? count(JSON.stringify(tool_calls)) + 3 : 0;
      return count(role ?? '') + count(content ?? '') + calls + 4;
    });
    return counts.reduce((sum, each) => sum + each, 3);
  });

  it('is above the tokens of any conversation that goes on, in each vocabulary', () => {
    fc.assert(
      fc.property(
        aText,
        fc.array(aTurn, { minLength: 1, maxLength: 6 }),
        fc.nat(),
        fc.constantFrom(...templates),
        (start, turns, at, count) => {
          const messages: unknown[] = [user(start)];
          for (const { answer, isCall, next } of turns) {
            if (isCall) {
              const tool_calls = [{ id: 'c', function: { name: 'f', arguments: answer } }];
              messages.push({ role: 'assistant', content: null, tool_calls });
              messages.push({ role: 'tool', tool_call_id: 'c', content: next });
            } else messages.push(assistant(answer), user(next));
          }
          const request = { messages };
          const beginnings = beginningsOf(request, here);
          const { messages: begun = 0 } = beginnings[at % beginnings.length] ?? {};
          const told = { messages: begun, tokens: count(messages.slice(0, begun)) };

          expect(beginnings).toHaveLength(turns.length + 1);
          expect(maxPromptTokens(model, request, { told })).toBeGreaterThanOrEqual(count(messages));
        },
      ),
      { numRuns: cases(200, 10_000) },
    );
  });
});
