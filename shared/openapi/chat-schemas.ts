import {
  ChatEvent,
  ChatTokens,
  DeltaEvent,
  DoneEvent,
  ErrorEvent,
  Source,
  SourcesEvent,
  StartEvent,
  StatusEvent,
  UsageEvent,
} from '../chat/chat-event.ts';
import { ChatFile, ChatImage, ChatStreamRequest, HistoryEntry } from '../chat/stream-request.ts';
import { component } from './component.ts';

const type = 'What kind of event this is.';
const unbuilt = 'Not available yet: `true` is refused with 422.';

export const chatComponents = {
  ChatStreamRequest: component(ChatStreamRequest, 'A message to a model.', {
    message: 'What the user says.',
    model: 'The model to answer; without it the default one.',
    session_id:
      'Goes on with that conversation, which is kept for 24 hours after its last message. Without it a new one is begun and named in the event `start`.',
    user_id: 'Whose conversation it is: sessions of different users never mix.',
    web_search: unbuilt,
    deep_research: unbuilt,
    connectors: unbuilt,
    chat_history: 'The conversation so far, in place of what the session remembers.',
    api_key:
      'Another API key, which is then the one that is billed and limited: so a shared front end passes its users’ keys on.',
    images: 'Images for the model to see.',
    files: 'Text files, added to the message.',
  }),
  ChatHistoryEntry: component(HistoryEntry, 'An earlier turn of a conversation.', {
    role: 'Who spoke.',
    content: 'What was said.',
  }),
  ChatImage: component(ChatImage, 'An image.', {
    base64: 'The image in base64.',
    mime_type: 'Its type.',
  }),
  ChatFile: component(ChatFile, 'A text file.', { name: 'Its name.', content: 'Its text.' }),
  ChatEvent: component(
    ChatEvent,
    'One event of the stream: `start`, `status`, any number of `delta`, `usage` and `done`, or `error` at any point.',
  ),
  StartEvent: component(StartEvent, 'The answer begins.', {
    type,
    session_id: 'The conversation; send it again to go on with it.',
    message_id: 'The answer’s own id.',
    model: 'The model that answers.',
  }),
  StatusEvent: component(StatusEvent, 'What is being done now.', {
    type,
    stage: 'Such as `answering`.',
    detail: 'The same as a sentence.',
  }),
  DeltaEvent: component(DeltaEvent, 'The next piece of the answer.', {
    type,
    content: 'Text to add to what came before.',
  }),
  SourcesEvent: component(SourcesEvent, 'What the answer draws on, where it searched.', {
    type,
    sources: 'The sources.',
  }),
  Source: component(Source, 'Something that an answer draws on.', {
    title: 'Its title.',
    url: 'Where it is.',
  }),
  UsageEvent: component(UsageEvent, 'What the answer took.', {
    type,
    tokens: 'Its tokens.',
    cost_usd: 'What it cost, in USD.',
  }),
  ChatTokens: component(ChatTokens, 'Tokens as the provider counts them.', {
    prompt: 'Of what was asked.',
    completion: 'Of the answer.',
    total: 'Both.',
  }),
  DoneEvent: component(DoneEvent, 'The answer is whole.', {
    type,
    finish_reason: 'Why the model stopped: `stop`, `length` …',
  }),
  ErrorEvent: component(ErrorEvent, 'The answer broke off; what came before it is billed.', {
    type,
    code: 'Such as `model_unavailable`.',
    message: 'What went wrong, as a sentence.',
  }),
};
