import { collectUpTo } from '../collect.ts';
import { maxErrorBytes } from '../http/bounds.ts';

/** Returns a `fetch` that reads no more of a provider's refusal than an error may have. */
export const withBoundedErrors =
  (ask: typeof fetch): typeof fetch =>
  async (target, init) => {
    const response = await ask(target, init);
    if (response.ok || !response.body) return response;
    const { status, statusText, headers } = response;
    const body = await collectUpTo(maxErrorBytes, response.body).catch(() => undefined);
    return new Response(body?.length ? body : null, { status, statusText, headers });
  };

/** Asks a provider so. */
export const boundedFetch = withBoundedErrors((target, init) => fetch(target, init));
