import { ScanCommand } from '@aws-sdk/lib-dynamodb';
import { beforeAll, expect, it } from 'vitest';
import { reach } from '../../lib/cli/target.ts';
import { dynamodb } from '../../shared/aws/dynamodb.ts';
import { setting } from '../../shared/config.ts';
import { ConflictError } from '../../shared/http/errors.ts';
import { changeKey, findKeyBySecret, issueKey } from '../../shared/keys/key.ts';
import { defaultLimits } from '../../shared/keys/key-limits.ts';
import { rotateKey } from '../../shared/keys/rotate.ts';
import { shared } from '../support/run/shared.ts';

beforeAll(async () => {
  await reach({ data: (await shared('stage')).dataDir }, 'KEYS_TABLE', 'LEDGER_TABLE');
});

it('of rotations at once none leaves a second secret behind', async () => {
  const { id } = await issueKey('rotated at once', defaultLimits);

  const rotations = await Promise.allSettled(Array.from({ length: 5 }, () => rotateKey(id, 0)));

  const refusals = rotations.filter(({ status }) => status === 'rejected');
  expect(refusals.length).toBeLessThan(5);
  for (const refusal of refusals) {
    expect((refusal as PromiseRejectedResult).reason).toBeInstanceOf(ConflictError);
  }
  expect(await secretsOf(id)).toHaveLength(1);
});

it('each rotation within a grace leaves the older secrets theirs', async () => {
  const first = await issueKey('rotated twice', defaultLimits);

  const second = await rotateKey(first.id, 60_000);
  const third = await rotateKey(first.id, 60_000);

  for (const { api_key } of [first, second, third]) {
    expect(await findKeyBySecret(api_key)).toMatchObject({ id: first.id });
  }
});

it('a rotation without a grace ends all older secrets of its key alone', async () => {
  const other = await issueKey('rotated as well', defaultLimits);
  await rotateKey(other.id, 60_000);
  const first = await issueKey('leaked', defaultLimits);
  const second = await rotateKey(first.id, 60_000);

  const third = await rotateKey(first.id, 0);

  expect(await findKeyBySecret(first.api_key)).toBeUndefined();
  expect(await findKeyBySecret(second.api_key)).toBeUndefined();
  expect(await findKeyBySecret(third.api_key)).toMatchObject({ id: first.id });
  expect(await findKeyBySecret(other.api_key)).toMatchObject({ id: other.id });
});

it('a secret past its grace opens nothing, and the table is to forget it', async () => {
  const old = await issueKey('past its grace', defaultLimits);

  const renewed = await rotateKey(old.id, 1);

  await expect.poll(() => findKeyBySecret(old.api_key)).toBeUndefined();
  expect(await findKeyBySecret(renewed.api_key)).toMatchObject({ id: old.id });
  expect(await secretsOf(old.id)).toContainEqual({
    id: `secret#${old.secret_hash}`,
    key_id: old.id,
    lives_until: expect.any(String),
    expires_at: expect.any(Number),
  });
});

it('a revoked key is given no new secret', async () => {
  const { id } = await issueKey('revoked', defaultLimits);
  await changeKey(id, { state: 'revoked' });

  const rotation = rotateKey(id, 0);

  await expect(rotation).rejects.toThrow(`The key ${id} is revoked.`);
});

async function secretsOf(id: string) {
  const { Items = [] } = await dynamodb.send(
    new ScanCommand({
      TableName: setting('KEYS_TABLE'),
      FilterExpression: 'key_id = :id AND begins_with(id, :secrets)',
      ExpressionAttributeValues: { ':id': id, ':secrets': 'secret#' },
    }),
  );
  return Items;
}
