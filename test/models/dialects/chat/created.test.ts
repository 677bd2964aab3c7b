import { describe, expect, it, vi } from 'vitest';
import { chat } from '../../../../shared/models/dialects/chat/chat.ts';
import { oneCreated } from '../../../../shared/models/dialects/chat/created.ts';
import { responses } from '../../../../shared/models/dialects/responses/responses.ts';

const createdOf = (chunks: object[]) => {
  const created = oneCreated();
  return chunks.map((chunk) => ({ ...chunk, ...created({ ...chunk }) }) as { created?: unknown });
};

describe('the chunks of one answer', () => {
  it('have the time of the first, where a server writes each chunk’s own', () => {
    const told = createdOf([{ created: 1700000000 }, { created: 1700000001, choices: [] }]);

    expect(told).toEqual([{ created: 1700000000 }, { created: 1700000000, choices: [] }]);
  });

  it('have the time at which it began, where Azure begins with 0', () => {
    vi.useFakeTimers({ now: 1_700_000_005_900, toFake: ['Date'] });
    const first = { id: '', object: '', created: 0, model: '', choices: [] };

    const told = createdOf([{ ...first, prompt_filter_results: [] }, { created: 1700000003 }]);
    vi.useRealTimers();

    expect(told.map(({ created }) => created)).toEqual([1700000005, 1700000005]);
  });

  it('stay as they are where each has the same, or none', () => {
    const created = oneCreated();

    expect([{ created: 7 }, { choices: [] }, { created: 7 }].map(created)).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });
});

it('a translated answer tells when its provider was asked', () => {
  const ask = { model: 'm', messages: [], stream: false, askedAtMs: 1_700_000_000_999 };

  expect(chat.writeAnswer([], ask)).toMatchObject({ created: 1700000000 });
  expect(responses.writeAnswer([], ask)).toMatchObject({ created_at: 1700000000 });
});
