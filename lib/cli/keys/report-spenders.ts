import type { Spenders } from '../../../shared/usage/spenders.ts';
import { aligned, dollars } from '../text.ts';

/** Describes who spent most. */
export function describeSpenders({ from, to, total_usd, used, keys }: Spenders): string {
  const days = from === to ? `on ${to}` : `from ${from} to ${to}`;
  if (used === 0) return `No key used anything ${days}.`;
  const share = (usd: number) => (total_usd > 0 ? `${Math.round((usd / total_usd) * 100)} %` : '-');
  const table = aligned([
    ['key', 'name', 'spent', 'share', 'requests', 'failed', 'tokens', 'pages', 'most on'],
    ...keys.map((key) => [
      ...[key.id, key.name, dollars(key.spend_usd), share(key.spend_usd)],
      ...[key.requests, key.failed_requests, key.tokens, key.pages].map(String),
      key.top_model,
    ]),
  ]);
  const keysUsed = used === 1 ? '1 key' : `${used} keys`;
  return `${keysUsed} spent ${dollars(total_usd)} ${days}:\n\n${table}`;
}
