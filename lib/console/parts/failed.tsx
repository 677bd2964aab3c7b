import { Failure, isGone } from '../api/failure.ts';
import type { Live } from '../api/live.ts';
import { moment, usd } from './format.ts';
import { Quiet } from './quiet.tsx';

/** Says why something failed, and offers to try again. */
export function Failed({ error, retry }: { error: Error | undefined; retry?: () => void }) {
  if (!error) return null;
  const budget = error instanceof Failure ? error.budget : undefined;
  return (
    <div role="alert" class="refusal">
      {budget ? <BudgetRefusal {...budget} /> : <p>{error.message}</p>}
      {retry && !isGone(error) && <Quiet onClick={retry}>Try again</Quiet>}
    </div>
  );
}

/** A refusal for want of money, with what would be needed. */
function BudgetRefusal({
  max_usd,
  used_usd,
  held_usd,
  remaining_usd,
  reset_at,
  request_max_usd,
}: NonNullable<Failure['budget']>) {
  const isHeldUp = remaining_usd + held_usd >= request_max_usd;
  return (
    <>
      <p>
        <strong>The budget doesn’t cover this.</strong> It may cost up to {usd(request_max_usd)};{' '}
        {usd(remaining_usd)} of {usd(max_usd)} are left.
      </p>
      <p>
        {usd(used_usd)} spent, {usd(held_usd)} held by what runs now.{' '}
        {isHeldUp
          ? 'It fits as soon as that has ended.'
          : reset_at
            ? `The budget resets ${moment(reset_at)}.`
            : 'The budget does not reset.'}
      </p>
    </>
  );
}

/** Stands for what is not there yet, and says why something newer could not be loaded. */
export function Awaited({ of, lines }: { of: Live<unknown>; lines: number }) {
  const { value, failure, reload } = of;
  if (failure) return <Failed error={failure} retry={reload} />;
  return value === undefined ? <Skeleton lines={lines} /> : null;
}

/** Holds the place of what is being loaded. */
function Skeleton({ lines }: { lines: number }) {
  return (
    <div class="skeleton" aria-busy="true" role="status">
      <span class="unseen">Loading</span>
      {Array.from({ length: lines }, (_, line) => (
        <div key={line} class="line" />
      ))}
    </div>
  );
}
