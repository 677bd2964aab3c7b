import { describe, expect, it } from 'vitest';
import { embed } from '../../../lib/local/offline-model/embeddings.ts';

const vectorsOf = (...input: string[]) =>
  embed({ model: 'text-embedding-3-small', input }).data.map(({ embedding }) => embedding);
const likeness = (a: number[] = [], b: number[] = []) =>
  a.reduce((sum, each, at) => sum + each * (b[at] ?? 0), 0);

describe('the offline model’s embeddings', () => {
  it('are the same for the same text, one long, and as long as the model’s', () => {
    const [a, b] = vectorsOf('the ferry leaves', 'the ferry leaves');

    expect(a).toEqual(b);
    expect(a).toHaveLength(1_536);
    expect(likeness(a, a)).toBeCloseTo(1, 5);
  });

  it('are nearer the more words two texts share', () => {
    const [a, b, c] = vectorsOf('the ferry leaves at nine', 'a ferry leaves', 'bread and butter');

    expect(likeness(a, b)).toBeGreaterThan(likeness(a, c) + 0.2);
  });

  it('say that they are no real model’s', () => {
    expect(embed({ model: 'm', input: 'a', dimensions: 8 }).model).toBe('quire-offline-words/m');
  });
});
