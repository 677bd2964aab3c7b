import type { Model } from '../../catalogue.ts';
import type { Ask, Format, Tool } from '../ask.ts';
import { type Body, untranslatable } from '../dialect.ts';
import { outputSchema } from './output-schema.ts';
import { thinkingOf } from './thinking.ts';
import { cacheControlOf } from './wire.ts';
import { writeMessages, writeSystem } from './write-messages.ts';

/** Writes a request as one of Anthropic's Messages. @see https://platform.claude.com/docs/en/api/messages */
export function writeMessagesRequest(ask: Ask, model: Model): Body {
  const { tools = [], toolChoice, parallelToolCalls, format, stop } = ask;
  // It must be given.
  const max_tokens = ask.maxOutputTokens ?? model.maxOutputTokens;
  const body: Body = { model: ask.model, max_tokens, messages: writeMessages(ask.messages) };
  const system = [...writeSystem(ask.messages), ...instructionsOf(format)];
  if (system.length > 0) body['system'] = system;
  if (tools.length > 0) {
    body['tools'] = tools.map(toolOf);
    const choice = choiceOf(toolChoice, parallelToolCalls);
    if (choice) body['tool_choice'] = choice;
  }
  if ((ask.temperature ?? 0) > 1) throw untranslatable(['temperature'], 'a temperature above 1');
  if (ask.temperature !== undefined) body['temperature'] = ask.temperature;
  if (ask.topP !== undefined) body['top_p'] = ask.topP;
  if (ask.topK !== undefined) body['top_k'] = ask.topK;
  if (stop && stop.length > 0) body['stop_sequences'] = stop;
  const { thinking, effort } = thinkingOf(ask, model, max_tokens);
  if (thinking) body['thinking'] = thinking;
  const output = {
    ...(effort !== undefined && { effort }),
    ...(format?.is === 'schema' && {
      format: { type: 'json_schema', schema: outputSchema(format.schema) },
    }),
  };
  if (Object.keys(output).length > 0) body['output_config'] = output;
  if (ask.user !== undefined) body['metadata'] = { user_id: ask.user };
  if (ask.stream) body['stream'] = true;
  return body;
}

/** Claude is told by words where any JSON will do: it takes a form by its schema alone. */
const instructionsOf = (format: Format | undefined): Body[] =>
  format?.is === 'json'
    ? [{ type: 'text', text: 'Answer with one JSON object and nothing else.' }]
    : [];

function toolOf(tool: Tool, index: number): Body {
  if (tool.is === 'custom') {
    throw untranslatable(['tools', index, 'type'], 'a tool of the type custom');
  }
  const { name, description, schema, strict } = tool;
  const input = { type: 'object', ...(schema ?? { properties: {} }) };
  return {
    name,
    ...(description !== undefined && { description }),
    input_schema: strict === true ? outputSchema(input) : input,
    ...(strict === true && { strict }),
    ...cacheControlOf(tool),
  };
}

function choiceOf(choice: Ask['toolChoice'], parallel: boolean | undefined): Body | undefined {
  const alone = parallel === false ? { disable_parallel_tool_use: true } : {};
  if (choice === 'none') return { type: 'none' };
  if (choice === 'required') return { type: 'any', ...alone };
  if (typeof choice === 'object') return { type: 'tool', name: choice.name, ...alone };
  return choice === 'auto' || parallel === false ? { type: 'auto', ...alone } : undefined;
}
