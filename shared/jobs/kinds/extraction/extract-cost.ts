import { type CostRange, callCost } from '../../../models/call-cost.ts';
import type { Model } from '../../../models/catalogue.ts';
import type { Extracting } from '../../asked/extract-task.ts';
import { specOfJob } from './extract-input.ts';
import { pageCharacters } from './pages-of-document.ts';
import { maxAnswerTokens, maxRepairs, windowLimits } from './window-call.ts';

/** Each answer that can't be read is asked for once more, and each repair is asked for so as well. */
const maxCallsOfWindow = 2 * (1 + maxRepairs);

/** Returns the cost of extracting fields from a text of the given bytes: the likely one has one call for each window. */
export function extractCost(model: Model, job: Extracting, bytes: number): CostRange {
  const spec = specOfJob(job);
  const { instruction = '' } = job.extract ?? {};
  const { maxPages, maxCharacters } = windowLimits(model, spec, instruction);
  const pages = Math.max(1, Math.ceil(bytes / pageCharacters));
  // Windows have a page in common, and each may be parted down to its pages.
  const perWindow = Math.max(1, Math.min(maxPages, Math.floor(maxCharacters / pageCharacters)) - 1);
  const windows = Math.ceil(pages / perWindow);
  const calls = windows * maxCallsOfWindow + (pages > 1 ? 2 * pages : 0);
  const text = 'x'.repeat(Math.min(bytes, maxCharacters));
  const schema = JSON.stringify(spec.schema).repeat(2);
  const content = `${prompt}${schema}${instruction}${text}`;
  const messages = [{ role: 'user', content }];
  const call = callCost(model, { messages, max_tokens: maxAnswerTokens(model) });
  return { maxNanoUsd: calls * call.maxNanoUsd, likelyNanoUsd: windows * call.likelyNanoUsd };
}

/** More than a model is told beside the schema and the pages. */
const prompt = ' '.repeat(8_000);
