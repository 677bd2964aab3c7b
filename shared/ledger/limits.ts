import * as v from 'valibot';

const Count = v.pipe(v.number(), v.integer(), v.minValue(0));
const Usd = v.pipe(v.number(), v.minValue(0));

export const Budget = v.object({
  max_usd: Usd,
  used_usd: Usd,
  remaining_usd: Usd,
  reset_at: v.nullable(v.pipe(v.string(), v.isoTimestamp())),
  duration: v.nullable(v.string()),
});

export const OcrAllowance = v.object({
  images_per_hour: Count,
  used_this_hour: Count,
  remaining: Count,
  resets_in_seconds: Count,
});

/** The answer of `GET /user/limits`. */
export const LimitsReport = v.object({
  has_api_key: v.literal(true),
  budget: Budget,
  ocr: OcrAllowance,
});

export type Budget = v.InferOutput<typeof Budget>;
export type LimitsReport = v.InferOutput<typeof LimitsReport>;
