import * as v from 'valibot';
import { typedMessage } from '../http/field-errors.ts';
import { dictionary, listOf, oneOf } from '../http/schema.ts';
import { maxMessages } from './completion-message.ts';

const texts = ['input_text', 'output_text'];

const TextPart = v.looseObject({ type: v.picklist(texts), text: v.string() });
const ImagePart = v.looseObject({
  type: v.literal('input_image'),
  image_url: v.optional(v.nullable(v.string())),
});
const FilePart = v.looseObject({
  type: v.literal('input_file'),
  file_data: v.optional(v.nullable(v.string())),
  file_url: v.optional(v.nullable(v.string())),
});
const RefusalPart = v.looseObject({ type: v.literal('refusal'), refusal: v.string() });
const OtherPart = v.looseObject({
  type: v.pipe(v.string(), v.notValues([...texts, 'input_image', 'input_file', 'refusal'])),
});

const typeOf = (value: unknown): unknown =>
  typeof value === 'object' && value !== null ? (value as { type?: unknown }).type : undefined;

const Part = dictionary(
  oneOf([TextPart, ImagePart, FilePart, RefusalPart, OtherPart], (part) => {
    const type = typeOf(part);
    if (type === 'input_image') return ImagePart;
    if (type === 'input_file') return FilePart;
    if (type === 'refusal') return RefusalPart;
    return texts.includes(type as string) ? TextPart : OtherPart;
  }),
);

/** The most parts of an item: OpenAI takes hundreds of pictures. */
const maxParts = 10_000;

const Text = v.string(
  typedMessage('string_type', 'Input should be a valid string or a list of content parts'),
);
const Parts = listOf(Part, maxParts);
const Content = oneOf([Text, Parts], (content) => (Array.isArray(content) ? Parts : Text));

const MessageItem = v.looseObject({
  type: v.optional(v.literal('message')),
  role: v.picklist(['system', 'developer', 'user', 'assistant']),
  content: Content,
});
const FunctionCall = v.looseObject({
  type: v.literal('function_call'),
  call_id: v.string(),
  name: v.string(),
  arguments: v.string(),
});
const CustomToolCall = v.looseObject({
  type: v.literal('custom_tool_call'),
  call_id: v.string(),
  name: v.string(),
  input: v.string(),
});
const CallOutput = v.looseObject({
  type: v.picklist(['function_call_output', 'custom_tool_call_output']),
  call_id: v.string(),
  output: Content,
});
const Reasoning = v.looseObject({
  type: v.literal('reasoning'),
  summary: v.optional(v.nullable(listOf(dictionary(v.looseObject({})), maxParts))),
  content: v.optional(v.nullable(listOf(dictionary(v.looseObject({})), maxParts))),
  encrypted_content: v.optional(v.nullable(v.string())),
});
const knownItems = [
  ...['message', 'function_call', 'custom_tool_call', 'reasoning'],
  ...['function_call_output', 'custom_tool_call_output'],
];
const OtherItem = v.looseObject({ type: v.pipe(v.string(), v.notValues(knownItems)) });

/**
 * One item of the input. Other fields, and items of other types, pass through to a provider of this dialect.
 * @see https://platform.openai.com/docs/api-reference/responses/create#responses-create-input
 */
export const ResponseItem = dictionary(
  oneOf([MessageItem, FunctionCall, CustomToolCall, CallOutput, Reasoning, OtherItem], (item) => {
    const type = typeOf(item) ?? 'message';
    if (type === 'message') return MessageItem;
    if (type === 'function_call') return FunctionCall;
    if (type === 'custom_tool_call') return CustomToolCall;
    if (type === 'reasoning') return Reasoning;
    return knownItems.includes(type as string) ? CallOutput : OtherItem;
  }),
);

const Prompt = v.string(
  typedMessage('string_type', 'Input should be a valid string or a list of items'),
);
const Items = v.pipe(listOf(ResponseItem, maxMessages), v.minLength(1));

/** What is asked: a text, or what was said and done so far. */
export const ResponseInput = oneOf([Prompt, Items], (input) =>
  Array.isArray(input) ? Items : Prompt,
);
