import type {
  ChatCompletionContentPart,
  ChatCompletionCreateParams,
  ChatCompletionMessageParam,
} from 'openai/resources/chat/completions';

/** A chat completions request, as the service sends it, which has checked it. */
export type ChatRequest = ChatCompletionCreateParams;
/** One message of a chat. */
export type Message = ChatCompletionMessageParam;

/** Returns the text of a message, without its images, sounds and files. */
export function textOf({ content }: Message): string {
  if (typeof content === 'string') return content;
  return (content ?? []).map((part) => (part.type === 'text' ? part.text : '')).join('\n');
}

/** Returns how many parts of a type a chat holds. */
export const countParts = (
  messages: readonly Message[],
  type: ChatCompletionContentPart['type'],
): number =>
  messages
    .flatMap(({ content }): { type: string }[] => (Array.isArray(content) ? content : []))
    .filter((part) => part.type === type).length;
