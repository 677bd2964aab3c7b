import { createOpenAI } from '@ai-sdk/openai';
import Anthropic from '@anthropic-ai/sdk';
import { betaZodTool } from '@anthropic-ai/sdk/helpers/beta/zod';
import {
  Agent,
  tool as agentTool,
  OpenAIProvider,
  Runner,
  setTracingDisabled,
} from '@openai/agents';
import { generateText, isStepCount, tool } from 'ai';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { type Account, endedCharges, useChatStage } from '../support/servers/chat-stage.ts';
import { speaking, type Turn } from '../support/servers/responding.ts';

Object.assign(globalThis, { AI_SDK_LOG_WARNINGS: false });
setTracingDisabled(true);

const chat = await useChatStage();
const steps = 20;
const turns: Turn[] = [
  ...Array.from({ length: steps }, (_, n) => ({ call: 'count', input: { to: n } })),
  { text: 'It is counted.' },
];
const task = 'Count.';
const parameters = z.object({ to: z.number() });
const settingsOf = ({ base_url, api_key }: Account) => ({
  apiKey: api_key,
  baseURL: `${base_url}/v1`,
});

/** How each client does the task: it calls its tool as often as the model says, and returns what that says last. */
const clients: Record<
  string,
  (account: Account, model: string, count: (to: number) => string) => Promise<unknown>
> = {
  'the Agents SDK': async (account, model, count) => {
    const counting = agentTool({
      ...{ name: 'count', description: 'Counts.', parameters },
      execute: async ({ to }) => count(to),
    });
    const agent = new Agent({ name: 'a', instructions: 'Be brief.', model, tools: [counting] });
    const modelProvider = new OpenAIProvider(settingsOf(account));
    const runner = new Runner({ modelProvider, tracingDisabled: true });
    return (await runner.run(agent, task, { maxTurns: steps + 1 })).finalOutput;
  },
  'the AI SDK': async (account, id, count) => {
    const { text } = await generateText({
      ...{ model: createOpenAI(settingsOf(account))(id), prompt: task },
      tools: { count: tool({ inputSchema: parameters, execute: async ({ to }) => count(to) }) },
      stopWhen: isStepCount(steps + 1),
      providerOptions: { openai: { store: false } },
    });
    return text;
  },
  'Anthropic’s tool runner': async ({ base_url, api_key }, model, count) => {
    const client = new Anthropic({ baseURL: base_url, apiKey: api_key });
    const counting = betaZodTool({
      ...{ name: 'count', description: 'Counts.', inputSchema: parameters },
      run: ({ to }) => count(to),
    });
    const { content } = await client.beta.messages.toolRunner({
      ...{ model, max_tokens: 500, messages: [{ role: 'user', content: task }] },
      tools: [counting],
    });
    return content.map((block) => ('text' in block ? block.text : '')).join('');
  },
};

const pairs = Object.entries(clients).flatMap(([name, run]) =>
  speaking.map((upstream) => ({ ...upstream, client: name, over: upstream.name, run })),
);

describe('a task of 20 steps', () => {
  it.each(pairs)('is done by $client over $over', async ({ kind, answering, run }) => {
    const account = await chat.newAccount();
    const { id, upstreams } = chat.newModel(kind, answering(...turns));
    const counted: number[] = [];

    const said = await run(account, id, (to) => {
      counted.push(to);
      return `counted to ${to}`;
    });

    expect(said).toBe('It is counted.');
    expect(counted).toEqual(Array.from({ length: steps }, (_, n) => n));
    const last = JSON.stringify(upstreams[0]?.requests().at(-1)?.body);
    expect(last.match(/counted to \d+/g)).toHaveLength(steps);
    const charges = await endedCharges(account);
    expect(charges.map(({ status }) => status)).toEqual(Array(steps + 1).fill('settled'));
  });
});
