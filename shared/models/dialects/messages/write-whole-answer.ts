import { brokeOff, unavailable } from '../../errors.ts';
import { estimateTokens } from '../../token-bounds.ts';
import type { Ask, AssistantPart } from '../ask.ts';
import type { AnswerEvent, Body } from '../dialect.ts';
import { partsOfAnswer } from '../read-shapes.ts';
import { writeUsage } from './usage.ts';
import { errorOf, estimatedUsage, messageOf, stopOf } from './write-answer.ts';
import { inputOf } from './write-messages.ts';

/** Writes an answer that isn't streamed. */
export function writeMessagesAnswer(events: readonly AnswerEvent[], ask: Ask): Body {
  const failed = events.find((event) => event.is === 'error');
  if (failed) return errorOf(failed);
  const start = events.find((event) => event.is === 'start');
  const end = events.find((event) => event.is === 'end');
  if (!end) throw unavailable(brokeOff);
  const usage = events.findLast((event) => event.is === 'usage')?.usage;
  const refused = events.some((event) => event.is === 'refusal');
  return {
    ...messageOf(start?.id, start?.model ?? ask.model),
    content: partsOfAnswer(events.map(asSaid)).map(blockOf),
    ...stopOf(end, refused),
    usage: usage ? writeUsage(usage) : estimatedUsage(ask, wordsOf(events)),
  };
}

/** A refusal is said in words like any. */
const asSaid = (event: AnswerEvent): AnswerEvent =>
  event.is === 'refusal' ? { is: 'text', text: event.text } : event;

function blockOf(part: AssistantPart): Body {
  if (part.is === 'toolCall') {
    const { id, name, input } = part;
    return { type: 'tool_use', id, name, input: inputOf(input) };
  }
  if (part.is !== 'thought') return { type: 'text', text: part.text };
  const { text: thinking, signature = '', encrypted: data } = part;
  return data === undefined
    ? { type: 'thinking', thinking, signature }
    : { type: 'redacted_thinking', data };
}

const wordsOf = (events: readonly AnswerEvent[]): number =>
  estimateTokens(events.map((event) => ('text' in event ? event.text : '')).join(''));
