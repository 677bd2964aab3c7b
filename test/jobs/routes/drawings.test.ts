import { expect, it } from 'vitest';
import { ServiceError } from '../../../shared/http/errors.ts';
import { Drawings } from '../../../shared/jobs/routes/drawings.ts';

const jpeg = new Uint8Array([0xff, 0xd8]);

/** Draws when it is told, and counts how often. */
function drawer() {
  const asked: PromiseWithResolvers<Uint8Array>[] = [];
  const draw = () => {
    const one = Promise.withResolvers<Uint8Array>();
    asked.push(one);
    return one.promise;
  };
  return { asked, draw };
}

it('a page that many ask for at once is drawn once, and is kept', async () => {
  const drawings = new Drawings();
  const { asked, draw } = drawer();
  const many = Array.from({ length: 5 }, () => drawings.get('key_1', 'job 1', draw));

  asked[0]?.resolve(jpeg);

  expect(await Promise.all(many)).toEqual(Array.from({ length: 5 }, () => jpeg));
  expect(await drawings.get('key_1', 'job 1', draw)).toBe(jpeg);
  expect(asked).toHaveLength(1);
});

it('a page that took too long is refused again without being drawn', async () => {
  const drawings = new Drawings();
  const { asked, draw } = drawer();
  const first = drawings.get('key_1', 'job 1', draw);
  asked[0]?.reject(new ServiceError(422, 'unreadable_document', 'It takes too long to read.'));

  await expect(first).rejects.toMatchObject({ statusCode: 422 });
  await expect(drawings.get('key_1', 'job 1', draw)).rejects.toMatchObject({ statusCode: 422 });
  expect(asked).toHaveLength(1);
});

it('a drawing that was cut short is begun again by the next who waits', async () => {
  const drawings = new Drawings();
  const { asked, draw } = drawer();
  const cut = drawings.get('key_1', 'job 1', draw);
  const next = drawings.get('key_1', 'job 1', draw);
  asked[0]?.reject(new Error('The time is up'));
  await expect(cut).rejects.toThrow('The time is up');

  await expect.poll(() => asked.length).toBe(2);
  asked[1]?.resolve(jpeg);

  expect(await next).toBe(jpeg);
});

it('a key that has eight pages drawn is told to wait, and another key is not', async () => {
  const drawings = new Drawings();
  const { asked, draw } = drawer();
  const many = Array.from({ length: 8 }, (_, page) => drawings.get('key_1', `job ${page}`, draw));

  await expect(drawings.get('key_1', 'job 9', draw)).rejects.toMatchObject({
    statusCode: 429,
    retryAfterSeconds: 1,
  });
  const other = drawings.get('key_2', 'job 1', draw);
  for (const one of asked) one.resolve(jpeg);

  expect(await Promise.all([...many, other])).toHaveLength(9);
  expect(await drawings.get('key_1', 'job 9', async () => jpeg)).toBe(jpeg);
});

it('what was asked for last is kept, within 32 MB', async () => {
  const drawings = new Drawings();
  let drawn = 0;
  const draw = async () => {
    drawn += 1;
    return new Uint8Array(4 * 1024 * 1024);
  };
  for (let page = 1; page <= 10; page++) {
    await drawings.get('key_1', `job ${page}`, draw);
    await drawings.get('key_1', 'job 1', draw);
  }

  expect(drawn).toBe(10);
  await drawings.get('key_1', 'job 2', draw);
  expect(drawn).toBe(11);
});
