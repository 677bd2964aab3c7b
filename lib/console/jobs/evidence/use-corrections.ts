import { useState } from 'preact/hooks';
import type { FeedbackList } from '../../../../shared/feedback/request.ts';
import { call, get } from '../../api/call.ts';
import { useLive } from '../../api/live.ts';
import type { Job } from '../job.ts';
import { stepsOf } from './schema-fields.ts';
import type { Value, Values } from './values.ts';

/** A rating of a value; `correction` is the right value as JSON, empty where the value was confirmed. */
export interface ValueFeedback {
  rating: 'up' | 'down';
  correction: string;
}

export interface Corrections {
  /** The corrections, by the paths of their values. */
  said: ReadonlyMap<string, ValueFeedback>;
  failure: Error | undefined;
  reload(): void;
  /** Saves that a value is right, or the right value. */
  save(value: Value, said: ValueFeedback): Promise<void>;
}

/** Reads the feedback on a job's values, and saves more. */
export function useCorrections({ id, job_type, model }: Job): Corrections {
  const path = `/feedback?session_id=${encodeURIComponent(id)}`;
  const { value, failure, reload } = useLive(path, (signal) => get<FeedbackList>(path, signal), {
    isFinal: () => true,
  });
  const [saved, setSaved] = useState<ReadonlyMap<string, ValueFeedback>>(new Map());
  return {
    // Feedback saved on this page is newer than what was read.
    said: new Map([...saidIn(value?.feedback ?? []), ...saved]),
    failure,
    reload,
    async save({ path, value }, { rating, correction }) {
      await call('POST', '/feedback', {
        session_id: id,
        message_id: path,
        rating,
        correction,
        message_content: JSON.stringify(value),
        // A job that reads first names the engine that read.
        ...(job_type === 'chat' && { model }),
      });
      setSaved((before) => new Map([...before, [path, { rating, correction }]]));
    },
  };
}

function* saidIn(feedback: FeedbackList['feedback']): Generator<[string, ValueFeedback]> {
  for (const { message_id, rating, correction } of feedback) {
    if (message_id) yield [message_id, { rating, correction }];
  }
}

/** Returns the right value that was said, as it was extracted if that was confirmed; undefined if it can't be read. */
export function rightValue(value: unknown, { rating, correction }: ValueFeedback): unknown {
  if (rating === 'up') return value;
  try {
    return JSON.parse(correction);
  } catch {
    // Others than this page may have written it.
    return correction || undefined;
  }
}

/** Writes what was said of a job's values as JSON: each, and the data with them in it. */
export function correctionsFile(
  { id, filename }: Job,
  data: unknown,
  { single, tables }: Values,
  said: Corrections['said'],
): string {
  const right = structuredClone(data);
  const corrections = [...single, ...tables.flatMap(({ rows }) => rows.flat())].flatMap(
    ({ path, value, evidence }) => {
      const about = said.get(path);
      if (!about) return [];
      const correct = rightValue(value, about);
      if (correct !== undefined) put(right, path, correct);
      return [
        {
          path,
          extracted: value,
          correct,
          is_right: about.rating === 'up',
          found: evidence?.found ?? null,
          page: evidence?.page ?? null,
        },
      ];
    },
  );
  return `${JSON.stringify({ job_id: id, filename, data: right, corrections }, null, 2)}\n`;
}

function put(data: unknown, path: string, value: unknown): void {
  const steps = stepsOf(path);
  const last = steps.pop() ?? '';
  const holder = steps.reduce(
    (part, step) => (part as Record<string, unknown> | null)?.[step],
    data,
  );
  if (holder) (holder as Record<string, unknown>)[last] = value;
}
