import { afterEach, expect, it, vi } from 'vitest';
import { measure } from '../shared/metrics.ts';

afterEach(() => {
  vi.restoreAllMocks();
});

it('writes one line that CloudWatch reads as figures, by their dimensions and as a whole', () => {
  const write = vi.spyOn(process.stdout, 'write').mockReturnValue(true);

  measure({ Requests: 1, RequestMs: 12 }, { route: 'GET /health' });

  expect(write).toHaveBeenCalledOnce();
  const { _aws, ...line } = JSON.parse(String(write.mock.calls[0]?.[0]));
  expect(_aws.CloudWatchMetrics).toEqual([
    {
      Namespace: 'Quire',
      Dimensions: [['service', 'route'], ['service']],
      Metrics: [
        { Name: 'Requests', Unit: 'Count' },
        { Name: 'RequestMs', Unit: 'Milliseconds' },
      ],
    },
  ]);
  expect(line).toMatchObject({ route: 'GET /health', Requests: 1, RequestMs: 12 });
});
