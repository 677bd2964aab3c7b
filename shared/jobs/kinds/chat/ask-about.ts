import type { Answer } from '../../../chat/ask.ts';
import type { Model } from '../../../models/catalogue.ts';
import { ModelError } from '../../../models/errors.ts';
import { estimateTokens, maxCompletionTokens } from '../../../models/token-bounds.ts';
import { callOf } from '../../asked/model-call.ts';
import type { ClaimedJob } from '../../engine/item/job.ts';
import { stepsBetween } from '../../engine/item/steps.ts';
import { runAll } from '../../engine/run/run-all.ts';
import { callsAtOnce } from '../../engine/run/watch.ts';
import { askOnce, sumOf } from './ask.ts';
import { packPages } from './pack-pages.ts';

/** Parts of a document that are asked about at once, unless the key may have fewer calls under way. */
const partsAtOnce = 4;
/** How often a document is divided anew, into parts half as long, when the model finds them too long. */
const maxDivisions = 4;

/** A document and what is asked about it; without an instruction the document itself is the prompt. */
interface Question {
  job: ClaimedJob;
  model: Model;
  pages: string[];
  use: 'chat' | 'pipeline';
  instruction: string | undefined;
  /** How many calls were answered: if time runs out, the next run has that much less to do. */
  progress: { calls: number };
}

/** The answer, and in how many parts the document was put to the model. */
interface Reply {
  answer: Answer;
  parts: number;
}

/**
 * Asks a model about a document: in one call if it fits the context; else part by part, and a last call joins the
 * answers. What was answered stays answered.
 */
export async function askAbout(question: Question, signal: AbortSignal): Promise<Reply> {
  const size = question.pages.reduce((sum, page) => sum + estimateTokens(page), 0);
  let room = promptRoom(question);
  for (let division = 0; ; division += 1) {
    try {
      const { answer, parts } = await askInParts(question, room, division, signal);
      const isOne = division === 0 && parts === 1;
      return { answer: isOne ? answer : await withWholeUse(question.job, answer), parts };
    } catch (error) {
      const isTooLong = error instanceof ModelError && error.code === 'context_length_exceeded';
      if (!isTooLong || division === maxDivisions) throw error;
      room = Math.max(1, Math.floor(Math.min(room, size) / 2));
    }
  }
}

/** How many tokens of a document fit one call, beside its instruction and the answer. */
function promptRoom({ model, instruction = '' }: Question): number {
  const answer = Math.min(maxCompletionTokens(model, {}), model.contextWindow / 4);
  const room = (model.contextWindow - answer - estimateTokens(instruction)) * 0.9;
  return Math.max(1, Math.floor(room));
}

async function askInParts(
  { job, model, pages, use, instruction, progress }: Question,
  room: number,
  division: number,
  signal: AbortSignal,
): Promise<Reply> {
  const parts = packPages(pages, room);
  const call = (name: string, content: string) => {
    const asked = callOf(job, use, model, [{ role: 'user', content }], signal);
    return askOnce(job, `chat_${division}_${name}`, asked, () => {
      progress.calls += 1;
    });
  };
  const prompt = (text: string) => (instruction ? `${instruction}\n\n${text}` : text);
  const [only] = parts;
  if (parts.length <= 1) {
    return { answer: await call('whole', prompt(only?.text ?? '')), parts: 1 };
  }
  const asking = parts.map(({ text, first, last }, index) => () => {
    const heading = `This is part ${index + 1} of ${parts.length} of a document, its pages ${first} to ${last}.`;
    return call(`part_${index + 1}`, `${heading}\n\n${prompt(text)}`);
  });
  const answers = await runAll(asking, await callsAtOnce(job, partsAtOnce));
  return { answer: await combine(answers, prompt, room, call), parts: parts.length };
}

/** Makes one answer of many; if they are too long for one call, of some at a time first. */
async function combine(
  answers: Answer[],
  prompt: (text: string) => string,
  room: number,
  call: (name: string, content: string) => Promise<Answer>,
  round = 1,
): Promise<Answer> {
  const texts = answers.map(({ content }, index) => `Part ${index + 1}:\n${content ?? ''}`);
  const groups = packPages(texts, room);
  const isLast = groups.length === 1 || groups.length >= answers.length;
  const task =
    'Below are answers to the same task, one for each part of a document. Make one answer of them.';
  const merged: Answer[] = [];
  for (const [index, { text }] of (isLast ? [{ text: texts.join('\n\n') }] : groups).entries()) {
    merged.push(await call(`combined_${round}_${index + 1}`, `${task}\n\n${prompt(text)}`));
  }
  const [last] = merged;
  return isLast && last ? last : combine(merged, prompt, room, call, round + 1);
}

/** Returns an answer with the use of all calls that it took, also of divisions that came to nothing. */
async function withWholeUse(job: ClaimedJob, answer: Answer): Promise<Answer> {
  const calls: Answer[] = [];
  for await (const { value } of stepsBetween<Answer>(job, 'chat_', 'chat_~')) calls.push(value);
  return { ...answer, ...sumOf(calls) };
}
