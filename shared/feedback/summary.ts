import { toUsd } from '../ledger/terms/nano-usd.ts';
import type { Days } from '../usage/day.ts';
import { spendByModel } from '../usage/use.ts';
import type { Feedback } from './feedback.ts';
import { listFeedback } from './ratings.ts';

/** The ratings of one model. The spend is null if no key used a model of that name in those days. */
export interface ModelRatings {
  model: string;
  up: number;
  down: number;
  up_share: number;
  spend_usd: number | null;
  usd_per_rating: number | null;
}

/** All keys' ratings of some days, with the ten latest comments. */
export interface FeedbackSummary extends Days {
  ratings: number;
  models: ModelRatings[];
  comments: Pick<Feedback, 'created_at' | 'model' | 'rating' | 'comment'>[];
}

const maxComments = 10;

/** Sums up all keys' ratings of some days by model, the most rated first. */
export async function summarizeFeedback(days: Days): Promise<FeedbackSummary> {
  const counts = new Map<string, { up: number; down: number }>();
  const comments: FeedbackSummary['comments'] = [];
  for await (const { created_at, model, rating, comment } of listFeedback(days)) {
    const count = counts.get(model) ?? { up: 0, down: 0 };
    counts.set(model, { ...count, [rating]: count[rating] + 1 });
    if (comment) comments.unshift({ created_at, model, rating, comment });
    comments.splice(maxComments);
  }
  const spend = await spendByModel(days);
  const models = [...counts]
    .map(([model, { up, down }]) => ratingsOf(model, up, down, spend.get(model)))
    .sort((a, b) => b.up + b.down - (a.up + a.down) || (a.model < b.model ? -1 : 1));
  const ratings = models.reduce((sum, { up, down }) => sum + up + down, 0);
  return { ...days, ratings, models, comments };
}

function ratingsOf(
  model: string,
  up: number,
  down: number,
  spend: number | undefined,
): ModelRatings {
  const ratings = up + down;
  return {
    model,
    up,
    down,
    up_share: up / ratings,
    spend_usd: spend === undefined ? null : toUsd(spend),
    usd_per_rating: spend === undefined ? null : toUsd(Math.round(spend / ratings)),
  };
}
