import { describe, expect, it } from 'vitest';
import { endedCharges, useChatStage } from '../../support/servers/chat-stage.ts';
import { post } from '../../support/servers/event-reader.ts';

const chat = await useChatStage();
const account = await chat.newAccount();
const { id: model } = chat.newModel('responding');
const { id: translated } = chat.newModel('plain');

const ask = (body: unknown) =>
  post(account, '/v1/responses', typeof body === 'object' ? { model, input: 'hi', ...body } : body);

/** Expects a 400 in OpenAI's shape that blames a field. */
async function expectBlamed(response: Response, param: string | null): Promise<void> {
  expect(response.status).toBe(400);
  expect(await response.json()).toEqual({
    error: {
      ...{ type: 'invalid_request_error', code: 'invalid_request_error', param },
      message: expect.stringContaining(param ?? ''),
    },
  });
}

const said = (content: unknown, role = 'user') => ({ input: [{ role, content }] });

describe('a 400 in OpenAI’s shape names', () => {
  it.each<[string, object]>([
    ['input', { input: undefined }],
    ['input', { input: 5 }],
    ['input', { input: [] }],
    ['input.0', { input: ['hi'] }],
    ['input.0.role', { input: [{ content: 'hi' }] }],
    ['input.0.role', said('hi', 'tool')],
    ['input.0.content', said(5)],
    ['input.0.content.0.type', said([{ text: 'hi' }])],
    ['input.0.content.0.text', said([{ type: 'input_text' }])],
    ['input.0.content.0.image_url', said([{ type: 'input_image', image_url: { url: 'x' } }])],
    ['input.0.call_id', { input: [{ type: 'function_call_output', output: 'x' }] }],
    ['input.0.output', { input: [{ type: 'function_call_output', call_id: 'c' }] }],
    ['input.0.arguments', { input: [{ type: 'function_call', call_id: 'c', name: 'f' }] }],
    ['input.0.type', { input: [{ type: 7 }] }],
    ['max_output_tokens', { max_output_tokens: 0 }],
    ['max_output_tokens', { max_output_tokens: 'many' }],
    ['temperature', { temperature: 3 }],
    ['stream', { stream: 'yes' }],
    ['tools.0.type', { tools: [{}] }],
    ['tools.0.type', { tools: [{ type: 'a\r\nx-evil: 1' }] }],
    ['tools', { tools: 'all' }],
    ['tool_choice', { tool_choice: 'any' }],
    ['text.format', { text: { format: 'json' } }],
    ['reasoning', { reasoning: 'high' }],
    ['include', { include: 'all' }],
    ['metadata', { metadata: { a: 1 } }],
    ['instruction', { instruction: 'Be brief.' }],
    ['previous_response_id', { previous_response_id: 'resp_1' }],
    ['store', { store: true }],
  ])('%s: %j', async (param, body) => expectBlamed(await ask(body), param));

  it('a text that is no JSON', async () => {
    await expectBlamed(await ask('{"model":'), null);
  });
});

describe('what another dialect has no words for is a 400 that names', () => {
  it.each<[string, object]>([
    ['truncation', { truncation: 'auto' }],
    ['top_logprobs', { top_logprobs: 3 }],
    ['max_tool_calls', { max_tool_calls: 3 }],
    ['moderation', { moderation: { input: true } }],
    ['include.0', { include: ['message.output_text.logprobs'] }],
    ['input.0.type', { input: [{ type: 'local_shell_call', id: 'x' }] }],
    ['input.0.content.0.type', said([{ type: 'input_video', video_url: 'x' }])],
    ['text.format.type', { text: { format: { type: 'grammar' } } }],
    ['whatever', { whatever: 1 }],
  ])('%s: %j', async (param, body) => {
    await expectBlamed(await ask({ ...body, model: translated }), param);
    expect((await ask(body)).status).toBe(200);
  });
});

it('a model that isn’t there is a 404', async () => {
  const response = await ask({ model: 'no-such-model' });

  expect(response.status).toBe(404);
  expect(await response.json()).toMatchObject({
    error: { code: 'model_not_found', param: 'model' },
  });
});

it('an input that is too long is blamed as such', async () => {
  const { id } = chat.newModel('small');

  const response = await ask({ model: id, input: 'word '.repeat(300) });

  expect(response.status).toBe(400);
  expect(response.headers.get('x-should-retry')).toBe('false');
  expect(await response.json()).toMatchObject({
    error: { code: 'context_length_exceeded', param: 'input' },
  });
});

it('what is refused costs nothing', async () => {
  const payer = await chat.newAccount();
  await post(payer, '/v1/responses', { model: translated, input: 'hi', truncation: 'auto' });

  const charges = await endedCharges(payer);

  expect(charges.filter(({ status }) => status === 'settled')).toEqual([]);
});

describe('a count of tokens', () => {
  const count = (body: object) => post(account, '/v1/responses/input_tokens', { model, ...body });

  it('is of all that a model would be told', async () => {
    const read = async (body: object) =>
      ((await (await count(body)).json()) as { input_tokens: number }).input_tokens;

    const short = await read({ input: 'hi' });
    expect(await read({ input: 'hi', instructions: 'x'.repeat(400) })).toBe(short + 100);
    const tools = [{ type: 'function', name: 'f', description: 'x'.repeat(400), parameters: {} }];
    expect(await read({ input: 'hi', tools })).toBeGreaterThan(short + 100);
  });

  it('refuses what a response does', async () => {
    await expectBlamed(await count({ input: [{ role: 'x', content: '' }] }), 'input.0.role');
    await expectBlamed(await count({ previous_response_id: 'resp_1' }), 'previous_response_id');
  });

  it('needs no input, and costs nothing', async () => {
    const payer = await chat.newAccount();

    const response = await post(payer, '/v1/responses/input_tokens', { model });

    expect(await response.json()).toEqual({
      ...{ object: 'response.input_tokens', input_tokens: expect.any(Number) },
    });
    expect(await endedCharges(payer)).toEqual([]);
  });
});
