import type { Hold } from '../../ledger/reserve.ts';
import type { Model } from '../../models/catalogue.ts';
import { maxCostNanoUsd } from '../../models/token-bounds.ts';
import { type AnswerRequest, answerCall } from '../answer.ts';
import { type HeldCall, holdCall, sizedRequest } from '../hold-call.ts';
import { taskQuestion } from '../json-task.ts';
import { type SourceText, sourcesBlock, toSource } from '../sources/material.ts';
import { samplingOf } from '../stream-request.ts';
import type { Turn } from '../turn.ts';
import type { Investigation, StudiedSource } from './investigation.ts';
import { checkTask, type Note, questionsText, reportRules } from './tasks.ts';

/** The most of brief, questions and notes that a report is written from. */
const maxMaterialBytes = 40_000;
const maxReportTokens = 6_000;
/** Parts of the report that are checked. */
export const maxChecks = 6;
const maxCheckBytes = 10_000;

/** Holds the most that writing the report can cost, so that the research can't spend it on searching. */
export const holdReport = (turn: Turn): Promise<HeldCall> => holdCall(longestReport(turn));

/** What writing the report can cost at most, in nano-dollars. */
export const maxReportNanoUsd = (turn: Turn) =>
  maxCostNanoUsd(turn.model, sizedRequest(longestReport(turn)));

const longestReport = (turn: Turn) =>
  answerCall(turn, reportRequest(turn, '.'.repeat(maxMaterialBytes)), !turn.isCounted);

/** What checking the report can cost at most, in nano-dollars. */
export function maxChecksNanoUsd(model: Model): number {
  const filler = { sentence: '.'.repeat(maxCheckBytes), notes: [] };
  return maxChecks * maxCostNanoUsd(model, taskQuestion(model, checkTask([filler])).body);
}

function reportRequest({ model, request }: Turn, material: string): AnswerRequest {
  const { max_tokens, ...sampling } = samplingOf(request);
  // A reasoning model thinks within the same limit.
  const maxTokens = (model.reasoning ? 1.5 : 1) * maxReportTokens;
  return {
    ...sampling,
    messages: [
      { role: 'system', content: reportRules },
      { role: 'user', content: material },
    ],
    max_tokens: Math.min(model.maxOutputTokens, maxTokens, max_tokens ?? maxTokens),
    ...(model.reasoning && { reasoning_effort: 'low' }),
  };
}

/** Makes the request for the report from as many notes as its hold covers. */
export function requestWithin({ turn, plan, studied }: Investigation, hold: Hold): AnswerRequest {
  for (let notes = studied.flatMap((source) => source.notes).length; ; notes -= 1) {
    const text = `${questionsText(plan)}\n\n${sourcesBlock(noted(studied, notes))}`;
    const request = reportRequest(turn, text);
    const call = answerCall(turn, request, false);
    if (notes === 0 || maxCostNanoUsd(turn.model, sizedRequest(call)) <= hold.charge.hold)
      return request;
  }
}

/** The sources with their first notes, up to a number, as the model is given them. */
function noted(studied: readonly StudiedSource[], notes: number): SourceText[] {
  let left = notes;
  return studied.map(({ found, notes: all }, index) => {
    const taken = all.slice(0, left);
    left -= taken.length;
    return {
      ...toSource(found, index + 1, ''),
      text: taken.map((note) => noteLine(note)).join('\n'),
    };
  });
}

/** A note as a line: its claim, its citation if one is given, and its quote if that is worded otherwise. */
export const noteLine = ({ claim, quote }: Note, citation = '') =>
  `- ${claim}${citation}${claim === quote ? '' : ` (“${quote}”)`}`;
