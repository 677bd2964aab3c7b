import { expect, it } from 'vitest';
import { addTo, asRead, expressUpdate } from '../../shared/aws/express-update.ts';

it('writes values and names where they are used, each once, and leaves out what is false', () => {
  const item: { spent: number; extra?: number } = { spent: 7 };

  const update = expressUpdate('table', { id: 'a' }, (value, name) => ({
    when: [asRead(item, 'spent', value), false, asRead(item, 'extra', value)],
    set: [undefined, addTo('held', 7, value), `${name('duration')} = ${value(null)}`],
    remove: [false, name('duration of-old')],
  }));

  expect(update).toEqual({
    TableName: 'table',
    Key: { id: 'a' },
    ConditionExpression: 'spent = :v0 AND attribute_not_exists(extra)',
    UpdateExpression: 'SET held = if_not_exists(held, :v1) + :v0, #n0 = :v2 REMOVE #n1',
    ExpressionAttributeValues: { ':v0': 7, ':v1': 0, ':v2': null },
    ExpressionAttributeNames: { '#n0': 'duration', '#n1': 'duration of-old' },
  });
});

it('gives no names or values where none are used, as DynamoDB takes no empty lists', () => {
  const update = expressUpdate('table', { id: 'a' }, () => ({ remove: ['closed'] }));

  expect(update).toEqual({
    TableName: 'table',
    Key: { id: 'a' },
    UpdateExpression: 'REMOVE closed',
  });
});
