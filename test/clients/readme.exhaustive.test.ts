import { execFileSync, spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { createAnthropic } from '@ai-sdk/anthropic';
import { createOpenAI } from '@ai-sdk/openai';
import Anthropic from '@anthropic-ai/sdk';
import { ChatOpenAI } from '@langchain/openai';
import { generateText } from 'ai';
import OpenAI from 'openai';
import { describe, expect, it } from 'vitest';
import { atStage, clientRows } from '../readme/readme.ts';
import { shared } from '../support/run/shared.ts';
import { useFolder } from '../support/run/use-folder.ts';
import { cleanEnvironment } from '../support/servers/command.ts';
import { newCaller } from '../support/servers/new-caller.ts';

const { base_url, api_key } = await newCaller(await shared('stage'));
const home = useFolder();
const banner = '[offline model';
const model = 'gpt-5-mini';
const question = [{ role: 'user' as const, content: 'Say hello.' }];

/** All code of the table, as it is written but for the port. */
const written = clientRows.flatMap(({ code }) => code).map((code) => atStage(code, base_url));
const starting = (start: string) => written.filter((code) => code.startsWith(start));

/** Evaluates a piece of JavaScript with what it uses. */
const made = <Made>(code: string, uses: object): Made =>
  new Function(...Object.keys(uses), 'apiKey', `return ${code}`)(...Object.values(uses), api_key);

/** What a client in JavaScript is asked, by how its code begins. */
const javascript: Record<string, (code: string) => Promise<unknown>> = {
  'new OpenAI(': async (code) => {
    const client = made<OpenAI>(code, { OpenAI });
    const { choices } = await client.chat.completions.create({ model, messages: question });
    return choices[0]?.message.content;
  },
  'new Anthropic(': async (code) => {
    const client = made<Anthropic>(code, { Anthropic });
    const asked = { model, max_tokens: 200, messages: question };
    return JSON.stringify((await client.messages.create(asked)).content);
  },
  'createOpenAI(': async (code) => {
    const provider = made<ReturnType<typeof createOpenAI>>(code, { createOpenAI });
    const providerOptions = { openai: { store: false } };
    const asked = { model: provider(model), prompt: 'Say hello.', providerOptions };
    return (await generateText(asked)).text;
  },
  'createAnthropic(': async (code) => {
    const provider = made<ReturnType<typeof createAnthropic>>(code, { createAnthropic });
    return (await generateText({ model: provider(model), prompt: 'Say hello.' })).text;
  },
  'new ChatOpenAI(': async (code) =>
    (await made<ChatOpenAI>(code, { ChatOpenAI }).invoke('Say hello.')).content,
};

describe("the README's clients in JavaScript", () => {
  it.each(Object.entries(javascript))('%s…) is answered', async (start, ask) => {
    const [code, ...more] = starting(start);

    expect(more).toEqual([]);
    expect(await ask(code ?? '')).toContain(banner);
  });
});

/** What a client in Python is asked, by how its code begins; `client` is it. */
const python: Record<string, { needs: string; asks: string }> = {
  'OpenAI(': {
    needs: 'from openai import OpenAI',
    asks: `client.chat.completions.create(model="${model}", messages=[{"role": "user", "content": "Say hello."}]).choices[0].message.content`,
  },
  'Anthropic(': {
    needs: 'from anthropic import Anthropic',
    asks: `client.messages.create(model="${model}", max_tokens=200, messages=[{"role": "user", "content": "Say hello."}]).content[0].text`,
  },
  'ChatOpenAI(': {
    needs: 'from langchain_openai import ChatOpenAI',
    asks: 'client.invoke("Say hello.").content',
  },
  'OpenAIEmbeddings(': {
    needs: 'from langchain_openai import OpenAIEmbeddings',
    asks: `"${banner}" if len(client.embed_query("Hello.")) > 100 else "short"`,
  },
};

/** Python with what the requirements pin, in a folder of its own; undefined where it can't be had. */
function pythonHere(): string | undefined {
  if (spawnSync('python3', ['-m', 'venv', home]).status !== 0) return undefined;
  const requirements = fileURLToPath(new URL('requirements.txt', import.meta.url));
  const install = ['-m', 'pip', 'install', '--quiet', '--requirement', requirements];
  return spawnSync(`${home}/bin/python`, install).status === 0 ? `${home}/bin/python` : undefined;
}

describe("the README's clients in Python", () => {
  const interpreter = pythonHere();

  const told = interpreter ? '%s…) is answered' : '%s…): Python with venv and packages is not here';
  it.skipIf(!interpreter).each(Object.entries(python))(told, (start, { needs, asks }) => {
    const [code, ...more] = starting(start);
    const program = `${needs}\nimport os\nKEY = os.environ["KEY"]\nclient = ${code}\nprint(${asks})`;

    const printed = execFileSync(interpreter as string, ['-c', program], {
      env: { ...cleanEnvironment(home), KEY: api_key },
      encoding: 'utf8',
    });

    expect(more).toEqual([]);
    expect(printed).toContain(banner);
  });
});

it('no client of the README is left out but those that are programs of their own', () => {
  const clients = clientRows.filter(
    ({ code }) =>
      !code.some((each) =>
        [...Object.keys(javascript), ...Object.keys(python)].some((start) =>
          each.startsWith(start),
        ),
      ),
  );

  expect(clients.map(({ client }) => client)).toEqual(['Codex', 'Claude Code']);
});
