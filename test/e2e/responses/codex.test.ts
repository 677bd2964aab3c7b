import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { useFolder } from '../../support/run/use-folder.ts';
import { type Account, endedCharges, useChatStage } from '../../support/servers/chat-stage.ts';
import { eventsOf, post } from '../../support/servers/event-reader.ts';
import { chunk, done, usageChunk } from '../../support/servers/model-stub-pieces.ts';
import { speaking } from '../../support/servers/responding.ts';
import {
  messageItem,
  responseEvents,
  responseOf,
  responseStream,
  thoughtItem,
} from '../../support/servers/responses-stub.ts';

const chat = await useChatStage();

const text = (role: string, words: string) => ({
  ...{ type: 'message', id: `msg_${role}`, role },
  content: [{ type: role === 'assistant' ? 'output_text' : 'input_text', text: words }],
});

/**
 * The second request of a turn, in the fields and the order of Codex 0.169: it has called its shell, and says what came.
 *
 * @see https://github.com/openai/codex/tree/main/codex-rs/codex-api
 */
const turn = (model: string) => ({
  model,
  stream: true,
  input: [
    text('developer', 'You are a coding agent.'),
    text('developer', '<permissions instructions>'),
    text('user', '<environment_context>'),
    text('user', 'What is in this folder?'),
    { ...thoughtItem('I look.', 'gAAAAAB-secret'), content: null },
    text('assistant', 'Let me look.'),
    {
      ...{ type: 'function_call', id: 'fc_1', call_id: 'call_1', name: 'exec_command' },
      arguments: '{"cmd":"ls"}',
    },
    { ...{ type: 'custom_tool_call', call_id: 'call_2', name: 'apply_patch' }, input: '*** Begin' },
    { type: 'function_call_output', call_id: 'call_1', output: 'README.md' },
    { type: 'custom_tool_call_output', call_id: 'call_2', output: 'Done!' },
  ],
  tools: [
    {
      ...{ type: 'function', name: 'exec_command', description: 'Runs a command.', strict: false },
      parameters: { type: 'object', properties: { cmd: { type: 'string' } } },
    },
    {
      ...{ type: 'custom', name: 'apply_patch', description: 'Edits files.' },
      format: { type: 'grammar', syntax: 'lark', definition: 'start: "x"' },
    },
    {
      ...{ type: 'namespace', name: 'mcp__files', description: 'Files.' },
      tools: [
        {
          ...{ type: 'function', name: 'read', description: 'Reads.', strict: false },
          parameters: { type: 'object', properties: { path: { type: 'string' } } },
        },
      ],
    },
    {
      ...{ type: 'tool_search', execution: 'client', description: 'Finds tools.' },
      parameters: { type: 'object', properties: { query: { type: 'string' } } },
    },
  ],
  tool_choice: 'auto',
  parallel_tool_calls: true,
  reasoning: { effort: 'medium', summary: 'auto' },
  store: false,
  include: ['reasoning.encrypted_content'],
  prompt_cache_key: '01a20d80-47ea-7293-ac7c-fe2aff1411ea',
  text: { verbosity: 'low' },
  client_metadata: { session_id: '01a20d80', 'x-codex-installation-id': '008c5ad0' },
});

describe('a turn of Codex', () => {
  it('comes to an upstream that speaks responses as it is', async () => {
    const account = await chat.newAccount();
    const answer = responseStream([
      thoughtItem('Now I know.', 'gAAAAAC'),
      messageItem('A README.'),
    ]);
    const { id, upstreams } = chat.newModel('responding', { kind: 'pieces', pieces: answer });

    const response = await post(account, '/v1/responses', turn(id));

    expect(await response.text()).toBe(answer.join(''));
    const { model: _, ...rest } = turn(id);
    expect(upstreams[0]?.requests()[0]?.body).toEqual({ ...rest, model: `their-${id}` });
    expect(await endedCharges(account)).toMatchObject([{ status: 'settled', figures: 'exact' }]);
  });

  it('is translated for one that speaks chat completions', async () => {
    const account = await chat.newAccount();
    const pieces = [
      chunk({ reasoning_content: 'Now I know.' }),
      chunk('A README.'),
      chunk({}, 'stop'),
      usageChunk(30, 12),
      done,
    ];
    const { id, upstreams } = chat.newModel('plain', { kind: 'pieces', pieces });

    const response = await post(account, '/v1/responses', turn(id));

    const events = eventsOf<{ type: string; sequence_number: number; item?: object }>(
      await response.text(),
    ).filter((event) => event !== '[DONE]');
    expect(events.map(({ sequence_number }) => sequence_number)).toEqual(events.map((_, n) => n));
    expect(
      events.flatMap(({ type, item }) => (type.endsWith('item.done') ? [item] : [])),
    ).toMatchObject([
      { type: 'reasoning', summary: [{ type: 'summary_text', text: 'Now I know.' }] },
      { type: 'message', role: 'assistant', content: [{ text: 'A README.' }] },
    ]);
    expect(events.at(-1)).toMatchObject({
      type: 'response.completed',
      response: { status: 'completed', usage: { input_tokens: 30, output_tokens: 12 } },
    });
    expect(upstreams[0]?.requests()[0]?.body).toMatchObject({
      messages: [
        { role: 'system', content: 'You are a coding agent.\n\n<permissions instructions>' },
        { role: 'user', content: '<environment_context>' },
        { role: 'user', content: 'What is in this folder?' },
        {
          ...{ role: 'assistant', content: 'Let me look.' },
          tool_calls: [
            { id: 'call_1', type: 'function', function: { name: 'exec_command' } },
            {
              ...{ id: 'call_2', type: 'function' },
              function: { name: 'apply_patch', arguments: '{"input":"*** Begin"}' },
            },
          ],
        },
        { role: 'tool', tool_call_id: 'call_1', content: 'README.md' },
        { role: 'tool', tool_call_id: 'call_2', content: 'Done!' },
      ],
      ...{ reasoning_effort: 'medium', verbosity: 'low', parallel_tool_calls: true },
      tools: [
        { type: 'function', function: { name: 'exec_command' } },
        {
          type: 'function',
          function: {
            name: 'apply_patch',
            description: expect.stringContaining('start: "x"'),
            parameters: { required: ['input'] },
          },
        },
        {
          type: 'function',
          function: { name: 'mcp__files__read', description: 'Files.\n\nReads.' },
        },
        { type: 'function', function: { name: 'tool_search' } },
      ],
    });
    expect(await endedCharges(account)).toMatchObject([{ status: 'settled', figures: 'exact' }]);
  });
});

/**
 * Codex itself, which is too heavy to be a dependency (400 MB): its program at `CODEX_BIN`, as `npm install
 * @openai/codex` has it in `node_modules/.bin/codex`.
 */
const codex = process.env['CODEX_BIN'];
const tasks = useFolder();

/** Has Codex do a task in a folder of its own. Returns that, and all that it says. */
async function runCodex(account: Account, model: string, task: string) {
  const folder = mkdtempSync(join(tasks, 'task-'));
  const home = join(folder, 'home');
  mkdirSync(home);
  const server = join(folder, 'server.mjs');
  writeFileSync(server, toolServer);
  const config = [
    `model = "${model}"`,
    'model_provider = "quire"',
    'web_search = "disabled"',
    '[model_providers.quire]',
    'name = "Quire"',
    `base_url = "${account.base_url}/v1"`,
    'env_key = "QUIRE_API_KEY"',
    'wire_api = "responses"',
    '[mcp_servers.files]',
    `command = "${process.execPath}"`,
    `args = ["${server}"]`,
  ];
  writeFileSync(join(home, 'config.toml'), config.join('\n'));
  const work = promisify(execFile)(
    codex ?? '',
    ['exec', '--skip-git-repo-check', '--dangerously-bypass-approvals-and-sandbox', task],
    {
      cwd: folder,
      timeout: 50_000,
      env: {
        PATH: `/usr/bin${delimiter}/bin`,
        HOME: home,
        CODEX_HOME: home,
        QUIRE_API_KEY: account.api_key,
      },
    },
  );
  work.child.stdin?.end();
  const { stdout, stderr } = await work.catch((error: { stdout: string; stderr: string }) => error);
  return { folder, said: stdout + stderr };
}

/** A server of the model context protocol with one tool, as Codex starts it. */
const toolServer = `
import { createInterface } from 'node:readline';
const result = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'files', version: '1' },
  }),
  'tools/list': () => ({
    tools: [{ name: 'shout', description: 'Shouts.', inputSchema: {
      type: 'object', properties: { text: { type: 'string' } }, required: ['text'] } }],
  }),
  'tools/call': ({ arguments: { text } }) => ({
    content: [{ type: 'text', text: text.toUpperCase() + '!' }],
  }),
};
for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) continue;
  console.log(JSON.stringify({ jsonrpc: '2.0', id, result: result[method]?.(params) ?? {} }));
}
`;

describe.runIf(codex)('Codex itself', { timeout: 60_000 }, () => {
  it.each(speaking)('does a task with its shell over $name', async ({ kind, answering }) => {
    const account = await chat.newAccount();
    const cmd = 'echo made by codex > made.txt && cat made.txt';
    const { id, upstreams } = chat.newModel(
      kind,
      answering({ call: 'exec_command', input: { cmd } }, { text: 'It is made.' }),
    );

    const { folder, said } = await runCodex(account, id, 'Make the file made.txt.');

    expect(said).toContain('It is made.');
    expect(readFileSync(join(folder, 'made.txt'), 'utf8')).toBe('made by codex\n');
    expect(JSON.stringify(upstreams[0]?.requests().at(-1)?.body)).toContain('made by codex');
    const charges = await endedCharges(account);
    expect(charges).toMatchObject([{ status: 'settled' }, { status: 'settled' }]);
  });

  it.each(speaking)('calls a tool of its own server over $name', async ({ kind, answering }) => {
    const account = await chat.newAccount();
    const called =
      kind === 'responding'
        ? { call: 'shout', namespace: 'mcp__files' }
        : { call: 'mcp__files__shout' };
    const { id, upstreams } = chat.newModel(
      kind,
      answering({ ...called, input: { text: 'ahoy' } }, { text: 'It is said.' }),
    );

    const { said } = await runCodex(account, id, 'Shout ahoy.');

    expect(said).toContain('It is said.');
    expect(JSON.stringify(upstreams[0]?.requests().at(-1)?.body)).toContain('AHOY!');
  });

  it('says that a budget is spent, and asks no model', async () => {
    const account = await chat.newAccount({ budget_usd: 0.0001 });
    const { id, upstreams } = chat.newModel('responding');

    const { said } = await runCodex(account, id, 'Make the file made.txt.');

    expect(said).toMatch(/budget|429/i);
    expect(upstreams[0]?.requests()).toEqual([]);
  });

  it('says that an input is too long', async () => {
    const account = await chat.newAccount();
    const failed = {
      type: 'response.failed',
      response: responseOf([], null, {
        status: 'failed',
        error: { code: 'context_length_exceeded', message: 'Your input exceeds the window.' },
      }),
    };
    const begun = responseStream([]).slice(0, 2);
    const { id, upstreams } = chat.newModel('responding', {
      ...{ kind: 'pieces', pieces: [...begun, ...responseEvents([failed], 2)] },
    });

    const { said } = await runCodex(account, id, 'Make the file made.txt.');

    expect(said).toMatch(/context window/i);
    expect(upstreams[0]?.requests()).toHaveLength(1);
  });
});
