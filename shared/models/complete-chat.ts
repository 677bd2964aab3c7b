import OpenAI from 'openai';
import type { ChatCompletion, ChatCompletionMessageParam } from 'openai/resources/chat/completions';
import { forgetSecret, secretText } from '../aws/secrets.ts';
import { setting } from '../config.ts';
import { catalogue, type Model } from './catalogue.ts';
import { ModelError, toModelError } from './errors.ts';

/** One chat call: what to ask of which model, and the signal that ends it early. */
export interface ChatCall {
  model: Model;
  messages: ChatCompletionMessageParam[];
  signal: AbortSignal;
}

/** Asks a model's first upstream; throws `ModelError` for what the provider said or failed to say. */
export async function completeChat({ model, messages, signal }: ChatCall): Promise<ChatCompletion> {
  const { upstream, model: upstreamModel } = preferredUpstream(model);
  const { baseUrl, secret } = upstream;
  const secretId = secretIdOf(secret);
  const client = new OpenAI({
    apiKey: await secretText(secretId),
    baseURL: setting('OPENAI_BASE_URL') ?? baseUrl,
    maxRetries: 0,
    logLevel: 'off',
  });
  try {
    return requireChoice(
      await client.chat.completions.create({ model: upstreamModel, messages }, { signal }),
    );
  } catch (error) {
    if (error instanceof OpenAI.AuthenticationError) forgetSecret(secretId);
    throw toModelError(error);
  }
}

function preferredUpstream(model: Model) {
  const [preferred] = model.upstreams;
  const upstream = preferred && catalogue.upstreams[preferred.upstream];
  if (!upstream) throw new Error(`The model ${model.id} has no upstream`);
  return { upstream, model: preferred.model };
}

function secretIdOf(name: string): string {
  const secretId = setting('PROVIDER_SECRETS')[name];
  if (!secretId) throw new Error(`PROVIDER_SECRETS names no secret for ${name}`);
  return secretId;
}

function requireChoice(completion: ChatCompletion): ChatCompletion {
  if (!completion?.choices?.[0]?.message) {
    throw new ModelError(503, 'model_unavailable', 'The model answered without a completion.');
  }
  return completion;
}
