import * as v from 'valibot';
import { byType, dictionary, listOf, textOr } from '../http/schema.ts';
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

const Part = dictionary(
  byType(
    {
      input_text: TextPart,
      output_text: TextPart,
      input_image: ImagePart,
      input_file: FilePart,
      refusal: RefusalPart,
    },
    OtherPart,
  ),
);

/** The most parts of an item: OpenAI takes hundreds of pictures. */
const maxParts = 10_000;

const Content = textOr(listOf(Part, maxParts), 'content parts');

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
const items = {
  message: MessageItem,
  function_call: FunctionCall,
  custom_tool_call: CustomToolCall,
  function_call_output: CallOutput,
  custom_tool_call_output: CallOutput,
  reasoning: Reasoning,
};
const OtherItem = v.looseObject({ type: v.pipe(v.string(), v.notValues(Object.keys(items))) });

/**
 * One item of the input. Other fields, and items of other types, pass through to a provider of this dialect.
 * @see https://platform.openai.com/docs/api-reference/responses/create#responses-create-input
 */
export const ResponseItem = dictionary(byType(items, OtherItem, 'message'));

/** What is asked: a text, or what was said and done so far. */
export const ResponseInput = textOr(
  v.pipe(listOf(ResponseItem, maxMessages), v.minLength(1)),
  'items',
);
