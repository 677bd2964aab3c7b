import { MessageTokenCount } from '../chat/count-message-tokens.ts';
import { AnswerBlock, AnsweredMessage, MessageEvent, MessageUsage } from '../chat/message.ts';
import * as request from '../chat/message-request.ts';
import { catalogue } from '../models/catalogue.ts';
import { otherModels } from './completions.ts';
import { messagesErrorAnswer, modelErrors } from './error-answers.ts';
import { headersOfAnswers } from './headers.ts';
import { component, content, json, operation, parameters } from './operation.ts';

const cacheWords =
  'Asks the provider to keep the prompt up to here. It is left out where the model has no price for it.';
const blockType = 'What kind of block this is.';

const askedFields = {
  model: 'The model’s id; `GET /v1/models` lists those that the key may use.',
  messages: 'The conversation to be answered.',
  system: 'What the model is told before it.',
  tools:
    'Tools that the caller runs. Tools that the provider would run and bill by the call, such as its web search, are left out, unless `tool_choice` asks for one: then the request is refused.',
  tool_choice: 'Which of them may be called.',
  thinking: 'Whether, and how much, the model thinks first.',
};

export const components = {
  MessageRequest: component(
    request.MessageRequest,
    'A request of Messages. Fields that aren’t named here pass through to a provider that speaks Messages; for others it is translated, and what they can’t be told is refused with its name. So is what would be billed without a price that the service knows.',
    {
      ...askedFields,
      max_tokens:
        'The most tokens to answer with; more than the model can write is taken for as much as it can. The less it is, the less of the budget is held.',
      models: otherModels,
      stream: 'Whether the answer comes in pieces; recommended.',
      temperature: 'How freely the model chooses its words.',
      top_p: 'The part of all likelihood that words are chosen from.',
      top_k: 'How many words are chosen from.',
      stop_sequences: 'Texts at which the answer ends.',
      metadata: 'Who asks, for the provider’s own use.',
      service_tier: '`auto` or `standard_only`, which are the same here.',
      output_config: '`effort`, and as `format` the JSON schema of the answer.',
      output_format: 'The older name of `output_config.format`.',
    },
  ),
  MessageCountRequest: component(
    request.MessageCountRequest,
    'A prompt to be counted.',
    askedFields,
  ),
  ConversationMessage: component(request.ConversationMessage, 'One message of Messages.', {
    role: 'Who speaks.',
    content: 'What is said.',
  }),
  BlockContent: component(request.BlockContent, 'A text, or a list of blocks.'),
  MessageBlock: component(request.MessageBlock, 'A piece of a message of Messages.'),
  TextBlock: component(request.TextBlock, 'A text.', {
    type: blockType,
    text: 'The text.',
    cache_control: cacheWords,
  }),
  SourceBlock: component(request.SourceBlock, 'An image or a document.', {
    type: blockType,
    source: 'What it is.',
    cache_control: cacheWords,
  }),
  ToolUseBlock: component(request.ToolUseBlock, 'A call of a tool in an earlier answer.', {
    type: blockType,
    id: 'The call’s id.',
    name: 'The tool.',
    cache_control: cacheWords,
  }),
  ToolResultBlock: component(request.ToolResultBlock, 'What a tool answered.', {
    type: blockType,
    tool_use_id: 'The call that this answers.',
    cache_control: cacheWords,
  }),
  OtherBlock: component(
    request.OtherBlock,
    'Any other block, such as a thought with its signature, as the model takes it.',
    { type: blockType, cache_control: cacheWords },
  ),
  BlockSource: component(
    request.Source,
    'Where an image or a document is: `base64` with `media_type` and `data`, `url`, `text` or `content`. A `file` is refused: it would be the operator’s.',
    { type: 'Which of these.' },
  ),
  CacheControl: component(request.CacheControl, cacheWords, {
    ttl: 'How long; five minutes if it isn’t said.',
  }),
  MessageTool: component(
    request.MessageTool,
    'A tool: one with `input_schema`, or one that Claude knows by its `type`.',
    {
      type: '`custom` or none for a tool with `input_schema`.',
      name: 'What it is called.',
      input_schema: 'The JSON schema of what it is called with.',
      cache_control: cacheWords,
    },
  ),
  MessageToolChoice: component(request.MessageToolChoice, 'Which tools may be called.', {
    type: 'Whether any may, one must, or none may.',
    name: 'The one that must, with `tool`.',
    disable_parallel_tool_use: 'Whether at most one may be called at a time.',
  }),
  Thinking: component(request.Thinking, 'Whether, and how much, the model thinks first.', {
    type: '`enabled`, `adaptive` or `disabled`.',
    budget_tokens: 'The most tokens of thoughts, with `enabled`.',
  }),
  MessageMetadata: component(request.MessageMetadata, 'Who asks.', {
    user_id: 'An opaque id for a user of the caller’s.',
  }),
  AnsweredMessage: component(AnsweredMessage, 'A whole answer of Messages.', {
    id: 'The answer’s id.',
    type: 'What kind of object this is.',
    role: 'Who speaks.',
    model: 'The model that answered.',
    content: 'What it says, thinks and calls.',
    stop_reason:
      'Why it stopped: `end_turn`, `max_tokens`, `stop_sequence`, `tool_use`, `refusal` …',
    usage: 'The tokens it took.',
  }),
  AnswerBlock: component(AnswerBlock, 'A piece of an answer of Messages.', { type: blockType }),
  MessageUsage: component(
    MessageUsage,
    'Tokens as Anthropic counts them: what was read from a cache, or written to it, is beside `input_tokens`.',
    { input_tokens: 'Of what was asked.', output_tokens: 'Of the answer.' },
  ),
  MessageEvent: component(
    MessageEvent,
    'One event of a streamed answer of Messages, named as its type. A stream that broke off ends with `error`.',
    {
      type: '`message_start`, `content_block_start`, `content_block_delta`, `content_block_stop`, `message_delta`, `message_stop`, `ping` or `error`.',
    },
  ),
  MessageTokenCount: component(MessageTokenCount, 'An estimate.', {
    input_tokens: 'The tokens of the prompt.',
  }),
};

const model = catalogue.defaults.chat;
const messages = [{ role: 'user' as const, content: 'Say hello.' }];

const wrongRequest = messagesErrorAnswer(
  'Something is wrong with the request, or the messages are longer than the model takes.',
  'invalid_request_error',
  `prompt is too long: The messages are longer than the 400000 tokens that ${model} takes.`,
);
const noSuchModel = messagesErrorAnswer(
  'There is no such model, or the key may not use it.',
  'not_found_error',
  'The model no-such-model does not exist. GET /v1/models lists those that do.',
);

export const operations = [
  operation('post /v1/messages', 'createMessage', 'Messages', {
    summary: 'Ask a model, as Anthropic’s clients do',
    description:
      'With `stream: true` the answer is a stream of named server-sent events. A model whose provider speaks Messages gets the request with as few changes as can be; for any other it is translated.',
    parameters: [
      parameters('header', request.MessageHeaders, {
        'anthropic-version': {
          name: 'anthropic-version',
          description: 'The version of the protocol, for a provider that speaks it.',
          example: '2023-06-01',
        },
        'anthropic-beta': {
          name: 'anthropic-beta',
          description: 'What the provider is to try out, if it speaks the protocol.',
        },
      }),
    ],
    body: content(request.MessageRequest, {
      'A question': { model, max_tokens: 200, messages },
      'A streamed answer': {
        model,
        stream: true,
        max_tokens: 200,
        system: [{ type: 'text', text: 'Answer in one sentence.' }],
        messages,
      },
    }),
    answers: {
      200: {
        description: 'The answer, as a whole or in pieces.',
        headers: ['request-id', ...headersOfAnswers],
        content: {
          'application/json': content(AnsweredMessage, {
            'An answer': {
              id: 'msg_013Zva2CMHLNnXjNJJKqJ2EF',
              type: 'message',
              role: 'assistant',
              model,
              content: [{ type: 'text', text: 'Hello!' }],
              stop_reason: 'end_turn',
              stop_sequence: null,
              usage: { input_tokens: 9, output_tokens: 2 },
            },
          }),
          'text/event-stream': content(MessageEvent, {
            'A piece of text': {
              type: 'content_block_delta',
              index: 0,
              delta: { type: 'text_delta', text: 'Hel' },
            },
          }),
        },
      },
      400: wrongRequest,
      404: noSuchModel,
      ...modelErrors.messages,
    },
  }),
  operation('post /v1/messages/count_tokens', 'countMessageTokens', 'Messages', {
    summary: 'Estimate a prompt’s tokens',
    description:
      'Estimates what a request’s prompt has. No provider is asked, and it costs nothing.',
    body: content(request.MessageCountRequest, { 'A question': { model, messages } }),
    answers: {
      200: json('The estimate.', MessageTokenCount, { 'An estimate': { input_tokens: 9 } }),
      400: wrongRequest,
      404: noSuchModel,
    },
  }),
];
