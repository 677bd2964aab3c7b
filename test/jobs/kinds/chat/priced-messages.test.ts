import { expect, it } from 'vitest';
import type { UnprocessableEntityError } from '../../../../shared/http/errors.ts';
import { useDocumentWorld } from '../../../support/worlds/document-world.ts';

const world = await useDocumentWorld();

/** Where a submission is refused; undefined if it is taken. */
async function refusedAt(messages: object[], rest: object = {}): Promise<string | undefined> {
  const submission = { job_type: 'chat', inline: { messages }, ...rest };
  try {
    await world.submit(await world.newCaller(), submission);
    return undefined;
  } catch (error) {
    return (error as UnprocessableEntityError).fields[0]?.loc.join('.');
  }
}

const said = (part: object) => [{ role: 'user', content: [{ type: 'text', text: 'Hi', ...part }] }];

it.each([
  [
    'is written to a cache',
    said({ cache_control: { type: 'ephemeral', ttl: '1h' } }),
    'cache_control',
  ],
  ['has a name in another case', said({ IMAGE_URL: { url: 'https://a.example' } }), 'IMAGE_URL'],
])('a chat job is refused whose message %s, as a completion is', async (_, messages, field) => {
  expect(await refusedAt(messages)).toBe(`body.inline.messages.0.content.0.${field}`);
});

it('a chat job with plain messages is taken', async () => {
  expect(await refusedAt(said({}))).toBeUndefined();
});
