import * as message from '../chat/completion-message.ts';
import { component, described, words } from './operation.ts';

/** What the document says of chat messages, which both jobs and chat completions take. */
export const components = {
  ...described({ ...message, MessageContent: message.Content }),
  SilentMessage: {
    ...component(message.SilentMessage, words.SilentMessage),
    rules: {
      anyOf: ['tool_calls', 'function_call', 'refusal', 'audio'].map((key) => ({
        required: [key],
        properties: { [key]: { not: { enum: [null, false, 0, ''] } } },
      })),
    },
  },
};
