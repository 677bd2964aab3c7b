import { brokeOff, unavailable } from '../../errors.ts';
import { estimateTokens } from '../../token-bounds.ts';
import type { Ask } from '../ask.ts';
import type { AnswerEvent, Body } from '../dialect.ts';
import { writeUsage } from './usage.ts';
import { emptyBlocks, errorOf, estimatedUsage, messageOf, stopOf } from './write-answer.ts';
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
    content: contentOf(events),
    ...stopOf(end, refused),
    usage: usage ? writeUsage(usage) : estimatedUsage(ask, wordsOf(events)),
  };
}

/** Puts the pieces of each block together. */
function contentOf(events: readonly AnswerEvent[]): Body[] {
  const blocks: Body[] = [];
  const inputs = new Map<number, string>();
  for (const event of events) {
    if (event.is === 'text' || event.is === 'refusal') append(blocks, 'text', event.text);
    if (event.is === 'thought') append(blocks, 'thinking', event.text);
    if (event.is === 'signature') sign(blocks, event);
    if (event.is === 'toolCall') {
      const { index, id, name } = event;
      blocks.push({ type: 'tool_use', id, name, input: index });
      inputs.set(index, '');
    }
    if (event.is === 'toolInput') {
      inputs.set(event.index, (inputs.get(event.index) ?? '') + event.text);
    }
  }
  return blocks.map((block) =>
    block['type'] === 'tool_use'
      ? { ...block, input: inputOf(inputs.get(block['input'] as number) ?? '') }
      : block,
  );
}

function append(blocks: Body[], type: 'text' | 'thinking', text: string): void {
  const last = blocks.at(-1);
  const isSigned = last?.['signature'] !== undefined && last['signature'] !== '';
  if (last?.['type'] === type && !isSigned) last[type] = `${last[type]}${text}`;
  else blocks.push({ ...emptyBlocks[type], [type]: text });
}

function sign(blocks: Body[], event: AnswerEvent & { is: 'signature' }): void {
  const { signature, encrypted } = event;
  if (encrypted !== undefined) {
    blocks.push({ type: 'redacted_thinking', data: encrypted });
    return;
  }
  const last = blocks.at(-1);
  if (last?.['type'] === 'thinking' && last['signature'] === '') last['signature'] = signature;
  else blocks.push({ ...emptyBlocks.thinking, signature });
}

const wordsOf = (events: readonly AnswerEvent[]): number =>
  estimateTokens(events.map((event) => ('text' in event ? event.text : '')).join(''));
