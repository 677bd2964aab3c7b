import { isAskedIn, type Model } from '../models/catalogue.ts';
import { isFree } from '../models/cost.ts';

/** What a caller's tools were called with, and their schemas, where any name may stand. */
const ownData = new Set(['input', 'input_schema']);

/** Leaves out caches that the model has no price for: clients ask for them unasked, and the answer is the same. */
export function withPricedCache<Request extends object>(model: Model, request: Request): Request {
  const { cacheWrite, cacheWrite1h } = model.usdPerMillionTokens;
  const isPriced = isFree(model) || (cacheWrite !== undefined && isAskedIn(model, 'messages'));
  if (isPriced && (isFree(model) || cacheWrite1h !== undefined)) return request;
  return changed(request, isPriced ? withoutLifetime : () => undefined) as Request;
}

const withoutLifetime = ({ ttl: _, ...control }: Record<string, unknown>) => control;

/** Changes each `cache_control` within a value; undefined leaves it out. */
function changed(
  value: unknown,
  change: (control: Record<string, unknown>) => object | undefined,
): unknown {
  if (Array.isArray(value)) return value.map((each) => changed(each, change));
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).flatMap(([name, each]) => {
    if (name !== 'cache_control' || typeof each !== 'object' || each === null) {
      return [[name, ownData.has(name) ? each : changed(each, change)]];
    }
    const control = change(each as Record<string, unknown>);
    return control ? [[name, control]] : [];
  });
  return Object.fromEntries(entries);
}
