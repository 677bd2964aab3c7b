import * as v from 'valibot';
import {
  ChunkChoice,
  ChunkDelta,
  Completion,
  CompletionChoice,
  CompletionChunk,
  CompletionMessage,
  CompletionUsage,
} from '../chat/completion.ts';
import { CompletionRequest } from '../chat/completion-request.ts';
import { ModelEntry, ModelList } from '../chat/models.ts';
import { component } from './component.ts';
import { ErrorObject } from './error-schemas.ts';

const BrokenStream = v.object({ error: ErrorObject });
export const CompletionEvent = v.union([CompletionChunk, BrokenStream]);

export const completionComponents = {
  CompletionRequest: component(
    CompletionRequest,
    'A chat-completions request. Parameters that aren’t named here (`tools`, `response_format`, `seed` …) pass through to the model untouched.',
    {
      model: 'The model’s id; `GET /v1/models` lists those that the key may use.',
      messages: 'The conversation to be answered.',
      stream: 'Whether the answer comes in pieces; recommended.',
      stream_options: '`include_usage` asks for a last chunk with the usage.',
      temperature: 'How freely the model chooses its words; 0.15 where it is not given.',
      max_tokens:
        'The most tokens to answer with. The less it is, the less of the budget is held for the answer.',
      max_completion_tokens: 'The same, by its newer name.',
      n: 'How many answers to give.',
    },
  ),
  Completion: component(Completion, 'A whole answer, as the provider gave it.', {
    id: 'The answer’s id.',
    object: 'What kind of object this is.',
    model: 'The model that answered.',
    choices: 'The answers.',
    usage: 'The tokens it took.',
  }),
  CompletionChoice: component(CompletionChoice, 'One answer.', {
    index: 'Which one.',
    message: 'What the model says.',
    finish_reason: 'Why it stopped: `stop`, `length`, `tool_calls` …',
  }),
  CompletionMessage: component(CompletionMessage, 'What the model says.', {
    role: 'Who speaks: `assistant`.',
    content: 'The answer’s text.',
  }),
  CompletionUsage: component(CompletionUsage, 'Tokens as the provider counts them.', {
    prompt_tokens: 'Of what was asked.',
    completion_tokens: 'Of the answer.',
    total_tokens: 'Both.',
  }),
  CompletionEvent: component(CompletionEvent, 'One event of a streamed answer.'),
  CompletionChunk: component(CompletionChunk, 'A piece of an answer.', {
    id: 'The answer’s id.',
    object: 'What kind of object this is.',
    model: 'The model that answers.',
    choices: 'What is added to each answer.',
    usage: 'The tokens it took, in the last chunk, if `stream_options.include_usage` asked for it.',
  }),
  ChunkChoice: component(ChunkChoice, 'What is added to one answer.', {
    index: 'Which one.',
    delta: 'What is added.',
    finish_reason: 'Why the model stopped, in an answer’s last chunk.',
  }),
  ChunkDelta: component(ChunkDelta, 'What is added to an answer.', {
    role: 'Who speaks, in an answer’s first chunk.',
    content: 'Text to add to what came before.',
  }),
  BrokenStream: component(
    BrokenStream,
    'The last event of a stream that broke off: no `[DONE]` follows it.',
    { error: 'What went wrong.' },
  ),
  ModelList: component(ModelList, 'Models.', {
    object: 'What kind of object this is.',
    data: 'The models.',
  }),
  Model: component(ModelEntry, 'A model.', {
    id: 'What to name it by.',
    object: 'What kind of object this is.',
    created: 'Always 0.',
    owned_by: 'Who provides it.',
  }),
};
