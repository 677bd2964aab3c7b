import type { Model } from '../../catalogue.ts';
import type { Ask } from '../ask.ts';
import type { Body } from '../dialect.ts';
import { isSealed } from '../read-shapes.ts';

/** How many tokens a model that counts them may think, by the effort that is asked for. */
const budgets: Readonly<Record<string, number>> = { low: 2_048, medium: 8_192, high: 16_384 };
const highestBudget = 32_768;
/** Claude takes no less. */
const leastBudget = 1_024;

/**
 * Writes how much a model thinks: Claude up to 4.5 takes a number of tokens, later ones an effort, and each refuses
 * the other. With a forced tool none may think.
 * @see https://platform.claude.com/docs/en/build-with-claude/adaptive-thinking
 */
export function thinkingOf(
  ask: Ask,
  { thinking: kind }: Model,
  maxTokens: number,
): { thinking?: Body; effort?: string } {
  const { effort, budgetTokens } = ask.reasoning ?? {};
  const isOn = (effort !== undefined || budgetTokens !== undefined) && effort !== 'none';
  if (!isOn || isForced(ask)) return {};
  if (kind !== 'budget') {
    const told = effort === 'minimal' ? 'low' : effort;
    const display = ask.reasoning?.isShown === true ? { display: 'summarized' } : {};
    return {
      thinking: { type: 'adaptive', ...display },
      ...(told !== undefined && { effort: told }),
    };
  }
  const wanted = budgetTokens ?? budgetOf(effort);
  const budget_tokens = Math.min(wanted, maxTokens - 1);
  if (budget_tokens < leastBudget || goesOnWithoutThoughts(ask)) return {};
  return { thinking: { type: 'enabled', budget_tokens } };
}

const budgetOf = (effort = 'medium') =>
  effort === 'minimal' ? leastBudget : (budgets[effort] ?? highestBudget);

const isForced = ({ toolChoice }: Ask) =>
  toolChoice === 'required' || typeof toolChoice === 'object';

/** Whether an answer is to go on after tools, and what was thought before them is gone: Claude wants it back. */
function goesOnWithoutThoughts({ messages }: Ask): boolean {
  const at = messages.findLastIndex(({ role }) => role === 'assistant');
  const last = messages[at];
  if (last?.role !== 'assistant' || messages[at + 1]?.role !== 'tool') return false;
  return !last.parts.some((part) => part.is === 'thought' && isSealed(part));
}
