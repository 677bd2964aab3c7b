import * as v from 'valibot';
import { knowing } from '../http/misspellings.ts';
import {
  byType,
  dictionary,
  integerBetween,
  listOf,
  ModelName,
  numberBetween,
  OtherModels,
  orDefault,
  textOr,
} from '../http/schema.ts';
import { maxMessages } from './completion-message.ts';

const maxBlocks = 10_000;

export const CacheControl = dictionary(v.looseObject({ ttl: orDefault(v.picklist(['5m', '1h'])) }));
const cached = { cache_control: orDefault(CacheControl) };
export const Source = dictionary(v.looseObject({ type: v.string() }));

export const TextBlock = v.looseObject({ type: v.literal('text'), text: v.string(), ...cached });
/** An image, or a document. */
export const SourceBlock = v.looseObject({
  type: v.picklist(['image', 'document']),
  source: Source,
  ...cached,
});
export const ToolUseBlock = v.looseObject({
  type: v.literal('tool_use'),
  id: v.string(),
  name: v.string(),
  ...cached,
});
export const ToolResultBlock = v.looseObject({
  type: v.literal('tool_result'),
  tool_use_id: v.string(),
  ...cached,
});
/** A thought, what a provider's own tools did, or what is new. It passes as it is. */
export const OtherBlock = v.looseObject({
  type: v.pipe(v.string(), v.notValues(['text', 'image', 'document', 'tool_use', 'tool_result'])),
  ...cached,
});

/** A piece of what is said. */
export const MessageBlock = dictionary(
  byType(
    {
      text: TextBlock,
      image: SourceBlock,
      document: SourceBlock,
      tool_use: ToolUseBlock,
      tool_result: ToolResultBlock,
    },
    OtherBlock,
  ),
);

/** What is said: a text, or blocks. */
export const BlockContent = textOr(listOf(MessageBlock, maxBlocks), 'content blocks');

/** A message of a conversation. */
export const ConversationMessage = dictionary(
  v.looseObject({ role: v.picklist(['user', 'assistant', 'system']), content: BlockContent }),
);

/** A tool: one that the request describes by `input_schema`, or one that Claude knows by its `type`. */
export const MessageTool = dictionary(
  v.looseObject({
    type: orDefault(v.string()),
    name: v.optional(v.string()),
    input_schema: v.optional(dictionary(v.looseObject({}))),
    ...cached,
  }),
);

export const MessageToolChoice = dictionary(
  v.looseObject({
    type: v.picklist(['auto', 'any', 'tool', 'none']),
    name: v.optional(v.string()),
    disable_parallel_tool_use: v.optional(v.boolean()),
  }),
);

export const Thinking = dictionary(
  v.looseObject({ type: v.string(), budget_tokens: v.optional(v.pipe(v.number(), v.integer())) }),
);

export const MessageMetadata = dictionary(v.looseObject({ user_id: orDefault(v.string()) }));

/** What it asks, and so what its prompt is. */
const asked = {
  model: v.pipe(ModelName, v.minLength(1)),
  messages: v.pipe(listOf(ConversationMessage, maxMessages), v.minLength(1)),
  system: orDefault(BlockContent),
  tools: orDefault(listOf(MessageTool, maxBlocks)),
  tool_choice: orDefault(MessageToolChoice),
  thinking: orDefault(Thinking),
};

/** What Anthropic takes beside, and what would pass for a misspelling of it. */
const otherNames = ['cache_control', 'container', 'context_management', 'inference_geo'];

/** The body of `POST /v1/messages`. Other fields pass through untouched. @see https://platform.claude.com/docs/en/api/messages */
export const MessageRequest = knowing(
  v.looseObject({
    ...asked,
    models: orDefault(OtherModels),
    max_tokens: integerBetween(1, Number.MAX_SAFE_INTEGER),
    stream: orDefault(v.boolean()),
    temperature: orDefault(numberBetween(0, 1)),
    top_p: orDefault(numberBetween(0, 1)),
    top_k: orDefault(integerBetween(0, Number.MAX_SAFE_INTEGER)),
    stop_sequences: orDefault(listOf(v.string(), maxBlocks)),
    metadata: orDefault(MessageMetadata),
    service_tier: orDefault(v.string()),
    output_config: orDefault(dictionary(v.looseObject({}))),
    output_format: orDefault(dictionary(v.looseObject({}))),
  }),
  otherNames,
);

export type MessageRequest = v.InferOutput<typeof MessageRequest>;

/** The body of `POST /v1/messages/count_tokens`. What else a request has doesn't count. */
export const MessageCountRequest = v.looseObject(asked);

export type MessageCountRequest = v.InferOutput<typeof MessageCountRequest>;

/** A header that goes on as it came. */
const Header = v.pipe(v.string(), v.maxLength(4_000), v.regex(/^[\x20-\x7e]*$/));

/** The headers of a request that its provider gets. */
export const MessageHeaders = v.object({
  'anthropic-version': v.optional(Header),
  'anthropic-beta': v.optional(Header),
});

export type MessageHeaders = v.InferOutput<typeof MessageHeaders>;
