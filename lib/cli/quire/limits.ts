import type { LimitsReport } from '../../../shared/keys/limits-report.ts';
import type { Arguments } from '../arguments.ts';
import type { Outcome } from '../run.ts';
import { ask, serviceIn } from '../service.ts';
import { dollars, minuteOf } from '../text.ts';

/** Says what is left of a key's limits. */
export async function showLimits({ values }: Pick<Arguments<string>, 'values'>): Promise<Outcome> {
  const limits = await ask<LimitsReport>(serviceIn(values['data']), 'GET', '/user/limits');
  const { budget, ocr } = limits;
  const left = budget.unlimited
    ? `${dollars(budget.used_usd)} spent, no limit`
    : `${dollars(budget.remaining_usd)} left of ${dollars(budget.max_usd)}`;
  const until = budget.reset_at ? `, renewed ${minuteOf(budget.reset_at)}` : '';
  const minutes = Math.ceil(ocr.resets_in_seconds / 60);
  const pages = `${ocr.remaining} of ${ocr.images_per_hour} left, renewed in ${minutes} min`;
  return { json: limits, text: `Budget  ${left}${until}\nPages   ${pages}` };
}
