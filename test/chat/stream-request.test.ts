import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { ChatImage } from '../../shared/chat/stream-request.ts';

describe('an image', () => {
  it.each([
    ['base64 alone', 'AAAA', 'image/jpeg'],
    ['a data URL', 'data:image/png;base64,AAAA', 'image/png'],
    ['one with parameters', 'data:image/png;name=a%20b.png;x=1;base64,AAAA', 'image/png'],
  ])('that is %s has a type', (_, base64, mime_type) => {
    expect(v.parse(ChatImage, { base64 })).toEqual({ base64: 'AAAA', mime_type });
  });

  it.each([
    ['millions of empty parameters', `data:${';'.repeat(4_000_000)}base64,AAAA`],
    ['millions of parameters', `data:image/png${';a'.repeat(2_000_000)};base64,AAAA`],
    ['a parameter of megabytes', `data:image/png;${'a'.repeat(4_000_000)};base64,AAAA`],
  ])('with %s is no base64', (_, base64) => {
    const { issues = [] } = v.safeParse(ChatImage, { base64 }, { abortPipeEarly: true });

    expect(issues.map(({ message }) => message)).toEqual(['value_error: Value error, not base64']);
  });
});
