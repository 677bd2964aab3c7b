import { describe, expect, it } from 'vitest';
import { progress } from '../../../shared/chat/research/investigation.ts';

describe('work that tells of its progress', () => {
  it('is told as it comes, and returns what it made', async () => {
    const go = Promise.withResolvers<void>();
    const events = progress<string, number>(async (tell) => {
      tell('one');
      await go.promise;
      tell('two');
      tell('three');
      return 42;
    });

    expect(await events.next()).toEqual({ done: false, value: 'one' });
    const second = events.next();
    go.resolve();
    expect(await second).toEqual({ done: false, value: 'two' });
    expect(await events.next()).toEqual({ done: false, value: 'three' });
    expect(await events.next()).toEqual({ done: true, value: 42 });
  });

  it('fails after what it told', async () => {
    const events = progress<string, void>(async (tell) => {
      tell('one');
      throw new Error('broken');
    });

    expect(await events.next()).toEqual({ done: false, value: 'one' });
    await expect(events.next()).rejects.toThrow('broken');
  });

  it('learns that its reader left, and is awaited', async () => {
    const steps: string[] = [];
    const events = progress<string, void>(async (tell, readerLeft) => {
      tell('one');
      await new Promise((resolve) => readerLeft.addEventListener('abort', resolve));
      steps.push('ended');
    });
    await events.next();

    await events.return();

    expect(steps).toEqual(['ended']);
  });
});
