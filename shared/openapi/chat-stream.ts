import * as events from '../chat/chat-event.ts';
import { ChatFile, ChatImage, ChatStreamRequest, HistoryEntry } from '../chat/stream-request.ts';
import { catalogue } from '../models/catalogue.ts';
import { errorAnswer, modelErrors, validationErrors } from './error-answers.ts';
import { component, content, operation } from './operation.ts';

const type = 'What kind of event this is.';
const unlessSetUp = 'Refused with 422 if the operator has not set up a search provider.';

export const components = {
  ChatStreamRequest: component(ChatStreamRequest, 'A message to a model.', {
    message: 'What the user says.',
    model: 'The model to answer; without it the default one.',
    session_id:
      'Goes on with that conversation, which is kept for 24 hours after its last message. Without it a new one is begun and named in the event `start`.',
    user_id: 'Whose conversation it is: sessions of different users never mix.',
    web_search: `Searches the web first; the answer cites its sources as \`[n]\`. ${unlessSetUp}`,
    deep_research: `Answers with a report, researched in several rounds of searching and reading, whose quotes were checked. It takes minutes. Refused with 422 without a search provider, unless \`connectors\` is set, and if a research may not cost enough to begin.`,
    connectors:
      'Searches the Drive folders that the key may read; with `web_search` or `deep_research` the web too. Refused with 422 for a key without folders.',
    chat_history: 'The conversation so far, in place of what the session remembers.',
    api_key:
      'Another API key, which is then the one that is billed and limited: so a shared front end passes its users’ keys on.',
    images: 'Images for the model to see.',
    files:
      'Files, whose text is added to the message: text as it is; PDF, Word, Excel, PowerPoint, OpenDocument, EPUB and ZIP in base64, others as data URLs. At most 20 of them are read; one that is a scan is refused with 422, for a batch job reads it.',
    file_ids:
      'Files of your key, of `POST /v1/files`, which are taken as if they were among `files`: 4 MB together at most.',
    max_tokens:
      'The most tokens that the answer may have, a reasoning model’s thoughts included. Without it as many as the model can write, or as the key’s budget covers.',
    temperature:
      'How freely the model chooses its words; 0.15 unless given. Reasoning models take none.',
    metadata:
      'Up to 16 tags of your own, kept on the charges of the answer and told to no model: the operator’s exports can be grouped by them.',
  }),
  ChatHistoryEntry: component(HistoryEntry, 'An earlier turn of a conversation.', {
    role: 'Who spoke.',
    content: 'What was said.',
  }),
  ChatImage: component(ChatImage, 'An image.', {
    base64: 'The image in base64, or as a data URL.',
    mime_type: 'Its type. A data URL names its own, which counts instead.',
  }),
  ChatFile: component(ChatFile, 'A file.', {
    name: 'Its name.',
    content: 'Its text; or a document in base64, also as a data URL.',
  }),
  ChatEvent: component(
    events.ChatEvent,
    'One event of the stream: `start`, any number of `status` and `delta`, `sources` if it searched, `usage` and `done`; or `error` at any point.',
  ),
  StartEvent: component(events.StartEvent, 'The answer begins.', {
    type,
    session_id: 'The conversation; send it again to go on with it.',
    message_id: 'The answer’s own id.',
    model: 'The model that answers.',
  }),
  StatusEvent: component(events.StatusEvent, 'What is being done now.', {
    type,
    stage:
      '`searching`, `reading` or `answering`; of a research also `planning`, `finding gaps`, `writing` and `checking`.',
    detail: 'The same as a sentence.',
    cost_usd: 'What the research has cost so far, in USD; only in a research.',
    max_tokens:
      'The most tokens that the answer may have, if the key’s budget does not cover all that the model can write.',
  }),
  DeltaEvent: component(events.DeltaEvent, 'The next piece of the answer.', {
    type,
    content: 'Text to add to what came before.',
  }),
  SourcesEvent: component(
    events.SourcesEvent,
    'What a search found, before the first `delta`; of a research only what its report cites, after the last.',
    { type, sources: 'The sources, by their number.' },
  ),
  Source: component(events.Source, 'A page or document that an answer may cite.', {
    n: 'Its number: the answer cites it as `[n]`.',
    title: 'Its title.',
    url: 'Where it is.',
    site: 'The host of the page, or `Google Drive`.',
    snippet: 'The beginning of what it says; may be empty.',
  }),
  UsageEvent: component(
    events.UsageEvent,
    'What the answer took, searches and all model calls included.',
    {
      type,
      tokens: 'The tokens of all calls.',
      cost_usd: 'What it cost, in USD, searches included.',
      web_search: 'The searches; absent if there were none.',
    },
  ),
  SearchUse: component(events.SearchUse, 'The web searches of an answer.', {
    searches: 'How many there were.',
    cost_usd: 'What they cost, in USD.',
  }),
  ChatTokens: component(events.ChatTokens, 'Tokens as the provider counts them.', {
    prompt: 'Of what was asked.',
    completion: 'Of the answer.',
    total: 'Both.',
  }),
  DoneEvent: component(events.DoneEvent, 'The answer is whole.', {
    type,
    finish_reason: 'Why the model stopped: `stop`, `length` …',
  }),
  ErrorEvent: component(events.ErrorEvent, 'The answer broke off; what came before it is billed.', {
    type,
    code: 'Such as `model_unavailable`, or `answer_not_read` for an answer that was read too slowly.',
    message: 'What went wrong, as a sentence.',
  }),
};

const streamChat = operation('post /chat/stream', 'streamChat', 'Chat', {
  summary: 'Send a message, watch the answer come',
  description:
    'The answer is a stream of server-sent events. Each `data:` line is one event as JSON; the last is `data: [DONE]`. A comment line every 15 seconds keeps idle proxies from closing the connection.',
  body: content(ChatStreamRequest, {
    'A message': { message: 'What is a dead-letter queue?' },
    'A conversation, with a file': {
      message: 'And what does this log say?',
      session_id: 'support-4711',
      user_id: 'ada',
      files: [{ name: 'service.log', content: '12:01 started\n12:07 out of memory' }],
    },
    'A question to the web and to Drive': {
      message:
        'How long may a message stay in a dead-letter queue, and how long does ours keep it?',
      web_search: true,
      connectors: true,
    },
  }),
  answers: {
    200: {
      description: 'The events, as they come.',
      headers: ['x-request-id'],
      content: {
        'text/event-stream': content(events.ChatEvent, {
          start: {
            type: 'start',
            session_id: 'support-4711',
            message_id: 'msg_019aa1f2-9e04-7c55-b1f0-6a2d8e9c3b17',
            model: catalogue.defaults.chat,
          },
          status: {
            type: 'status',
            stage: 'answering',
            detail: `${catalogue.defaults.chat} is answering`,
          },
          delta: { type: 'delta', content: 'A queue whose messages ' },
          sources: {
            type: 'sources',
            sources: [
              {
                n: 1,
                title: 'Dead-letter queues',
                url: 'https://example.com/queues',
                site: 'example.com',
                snippet: 'A dead-letter queue takes the messages that could not be processed.',
              },
            ],
          },
          usage: {
            type: 'usage',
            tokens: { prompt: 21, completion: 64, total: 85 },
            cost_usd: 0.00513,
            web_search: { searches: 1, cost_usd: 0.005 },
          },
          done: { type: 'done', finish_reason: 'stop' },
          error: {
            type: 'error',
            code: 'model_unavailable',
            message: 'The model broke off its answer.',
          },
        }),
      },
    },
    400: errorAnswer(
      'The conversation is longer than the model takes, or the provider refuses the request.',
      `The messages are longer than the 400000 tokens that ${catalogue.defaults.chat} takes.`,
    ),
    404: errorAnswer('The provider doesn’t know the model.', 'The model does not exist.'),
    422: validationErrors({
      'No message': { loc: ['body', 'message'], msg: 'Field required', type: 'missing' },
    }),
    ...modelErrors.detail,
  },
});

export const operations = [streamChat];
