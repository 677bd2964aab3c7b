import type { LimitsReport } from '../../../shared/keys/limits-report.ts';
import { count, span } from '../parts/format.ts';
import { Meter } from '../parts/meter.tsx';

/** The pages and images that may be read in this hour. */
export function ImagesCard({
  images_per_hour,
  used_this_hour,
  remaining,
  resets_in_seconds,
}: LimitsReport['ocr']) {
  return (
    <article aria-labelledby="images">
      <h2 id="images">Pages this hour</h2>
      <p class="figure">
        {count(remaining)} <small>left of {count(images_per_hour)}</small>
      </p>
      <Meter
        label="Pages"
        total={images_per_hour}
        parts={[
          { name: 'spent', value: used_this_hour, text: `${count(used_this_hour)} used` },
          { name: 'left', value: remaining, text: `${count(remaining)} left` },
        ]}
      />
      <dl>
        <div>
          <dt>Next hour</dt>
          <dd>in {span(resets_in_seconds * 1_000)}</dd>
        </div>
      </dl>
    </article>
  );
}
