import type { FeedbackSummary, ModelRatings } from '../../../shared/feedback/summary.ts';
import { aligned, dollars, minuteOf, printable } from '../text.ts';

/** Describes all keys' ratings by model, then the latest comments. */
export function describeSummary({ from, to, ratings, models, comments }: FeedbackSummary): string {
  const days = `${from} to ${to}`;
  if (ratings === 0) return `No ratings from ${days}.`;
  const table = aligned([
    ['model', 'up', 'down', 'share up', 'spent', 'per rating'],
    ...models.map(rowOf),
  ]);
  const lines = comments.map(
    ({ created_at, rating, model, comment }) =>
      `${minuteOf(created_at)}  ${rating}  ${shown(model)}\n  ${shown(comment)}`,
  );
  const latest = lines.length > 0 ? [`Latest comments:\n\n${lines.join('\n')}`] : [];
  return [`${ratings} ratings from ${days}:`, table, ...latest].join('\n\n');
}

function rowOf({ model, up, down, up_share, spend_usd, usd_per_rating }: ModelRatings): string[] {
  return [
    shown(model),
    String(up),
    String(down),
    `${Math.round(up_share * 100)} %`,
    spend_usd === null ? '-' : dollars(spend_usd),
    usd_per_rating === null ? '-' : dollars(usd_per_rating),
  ];
}

/** A text that callers have sent, or `(none named)` for an empty one. */
const shown = (text: string) => printable(text) || '(none named)';
