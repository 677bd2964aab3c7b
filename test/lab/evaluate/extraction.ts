import * as v from 'valibot';

const Count = v.number();

/** A rectangle of a page as it is shown, in per mille of its width and height: left, top, right, bottom. */
const PageBox = v.pipe(v.tuple([v.number(), v.number(), v.number(), v.number()]), v.readonly());
export type PageBox = v.InferOutput<typeof PageBox>;

const FoundEvidence = v.object({
  path: v.string(),
  page: v.nullable(Count),
  boxes: v.array(PageBox),
  found: v.picklist(['exact', 'normalized', 'not found']),
});
export type FoundEvidence = v.InferOutput<typeof FoundEvidence>;

/** The result of a job with `extract`, as far as it is evaluated. */
export const Extraction = v.object({
  data: v.unknown(),
  evidence: v.array(FoundEvidence),
  coverage: v.object({
    pages: v.array(v.object({ page: Count, status: v.string() })),
    arrays: v.array(v.object({ path: v.string(), returned: Count, on_pages: v.nullable(Count) })),
  }),
  windows: v.object({ total: Count, repairs: Count, failed: Count }),
  cost_usd: Count,
  ocr: v.nullable(v.object({ page_count: Count, cost_usd: Count })),
});
export type Extraction = v.InferOutput<typeof Extraction>;
