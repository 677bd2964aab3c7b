import { expect, it } from 'vitest';
import { measure } from '../shared/metrics.ts';
import { writtenLines } from './support/run/output.ts';

it('writes one line that CloudWatch reads as figures, by their dimensions and as a whole', () => {
  measure({ Requests: 1, RequestMs: 12 }, { route: 'GET /health' });

  const [written = '', ...others] = writtenLines().filter((line) => line.includes('GET /health'));
  expect(others).toEqual([]);
  const { _aws, ...line } = JSON.parse(written);
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

it('writes each line for itself', () => {
  measure({ Requests: 1 }, { route: 'GET /models' });
  measure({ HoldsSwept: 2 });

  const lines = writtenLines().map((line) => JSON.parse(line));
  expect(lines.map(({ _aws, service, ...figures }) => figures)).toEqual([
    { Requests: 1, route: 'GET /models' },
    { HoldsSwept: 2 },
  ]);
  expect(lines.map(({ _aws }) => _aws.CloudWatchMetrics[0].Dimensions)).toEqual([
    [['service', 'route'], ['service']],
    [['service']],
  ]);
});
