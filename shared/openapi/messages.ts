import * as message from '../chat/completion-message.ts';
import { component, words } from './operation.ts';

/** What the document says of chat messages, which both jobs and chat completions take. */
export const components = {
  Message: component(message.Message, words.Message),
  PlainMessage: component(message.PlainMessage, words.PlainMessage),
  SilentMessage: {
    ...component(message.SilentMessage, words.SilentMessage),
    rules: {
      anyOf: ['tool_calls', 'function_call', 'refusal', 'audio'].map((key) => ({
        required: [key],
        properties: { [key]: { not: { enum: [null, false, 0, ''] } } },
      })),
    },
  },
  ToolMessage: component(message.ToolMessage, words.ToolMessage),
  MessageContent: component(message.Content, words.MessageContent),
  ContentPart: component(message.ContentPart, words.ContentPart),
  TextPart: component(message.TextPart, words.TextPart),
  ImagePart: component(message.ImagePart, words.ImagePart),
  OtherPart: component(message.OtherPart, words.OtherPart),
};
