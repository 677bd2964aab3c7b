import { valueError } from '../../http/errors.ts';
import type { AskMessage, AssistantPart } from './ask.ts';

const callsIn = (message: AskMessage): AssistantPart[] =>
  message.role === 'assistant' ? message.parts : [];

const idsIn = (message: AskMessage) =>
  callsIn(message).flatMap((part) => (part.is === 'toolCall' ? [part.id] : []));

/**
 * Puts tools' outputs right after the turn that called them, as all providers but Responses' need it. Throws
 * `UnprocessableEntityError` for an output of no call.
 */
export function inTurns(messages: readonly AskMessage[]): AskMessage[] {
  const ordered: AskMessage[] = [];
  const placed = new Set<AskMessage>();
  for (const [at, message] of messages.entries()) {
    if (placed.has(message)) continue;
    if (message.role === 'tool') throw withoutCall(message.callId);
    ordered.push(message);
    const waiting = new Set(idsIn(message));
    for (const later of waiting.size > 0 ? messages.slice(at + 1) : []) {
      // A later call may have the same id.
      for (const id of idsIn(later)) waiting.delete(id);
      if (later.role !== 'tool' || placed.has(later) || !waiting.has(later.callId)) continue;
      ordered.push(later);
      placed.add(later);
    }
  }
  return ordered;
}

const withoutCall = (id: string) =>
  valueError(['body'], `the output of the call ${id.slice(0, 100)} has no call before it`);
