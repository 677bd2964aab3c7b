import type { Model, Upstream } from './catalogue.ts';

/** Names and hosts of the providers whose reasoning models know `max_completion_tokens` alone. */
const openAiNames = ['openai', 'azure'];
const openAiHost = /(^|\.)(openai|azure)\.com$/;

/**
 * The upstream's name for the output's limit: the catalogue's, or `max_tokens`, which all but OpenAI's reasoning
 * models know.
 * @see https://github.com/ollama/ollama/issues/7125
 * @see https://platform.openai.com/docs/api-reference/chat/create
 */
export function outputLimitName({ reasoning }: Model, name: string, upstream: Upstream) {
  const isOpenAi =
    openAiNames.includes(name) || openAiHost.test(new URL(upstream.baseUrl).hostname);
  return (
    upstream.outputLimitName ?? (reasoning && isOpenAi ? 'max_completion_tokens' : 'max_tokens')
  );
}
