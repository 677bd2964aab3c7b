import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import type { DynamoDBRecord } from 'aws-lambda';
import { afterAll, expect, it, vi } from 'vitest';
import { StreamReader } from '../../../lib/local/dynamodb/stream-reader.ts';
import type { FunctionHost } from '../../../lib/local/lambda/function-host.ts';
import { StreamPoller } from '../../../lib/local/lambda/stream-poller.ts';
import { Narrator } from '../../../lib/local/narrator.ts';

/** A shard of the stream: the numbers of its records, and whether no more will come. */
interface FakeShard {
  id: string;
  parent?: string;
  numbers: number[];
  closed: boolean;
}

const shards: FakeShard[] = [
  { id: 'second', parent: 'first', numbers: [], closed: true },
  { id: 'first', numbers: [9, 10], closed: true },
  { id: 'third', parent: 'second', numbers: [100], closed: true },
  { id: 'fourth', parent: 'third', numbers: [], closed: false },
];

type Input = Record<'ShardId' | 'ShardIterator' | 'SequenceNumber', string> & {
  ExclusiveStartShardId?: string;
  Limit: number;
};

/** What a DynamoDB answers, which lists one shard at a time. */
const operations: Record<string, (input: Input) => object> = {
  DescribeStream({ ExclusiveStartShardId }) {
    const index = shards.findIndex(({ id }) => id === ExclusiveStartShardId) + 1;
    const { id, parent, numbers, closed } = shards[index] as FakeShard;
    const [start = 11, end = start] = [numbers[0], numbers.at(-1)];
    const SequenceNumberRange = {
      StartingSequenceNumber: String(start),
      ...(closed && { EndingSequenceNumber: String(end) }),
    };
    const Shards = [{ ShardId: id, ParentShardId: parent, SequenceNumberRange }];
    const isLast = index === shards.length - 1;
    return { StreamDescription: { Shards, ...(!isLast && { LastEvaluatedShardId: id }) } };
  },
  GetShardIterator: ({ ShardId, SequenceNumber }) => ({
    ShardIterator: `${ShardId} ${SequenceNumber ?? 0}`,
  }),
  GetRecords({ ShardIterator, Limit }) {
    const [name, after = '0'] = ShardIterator.split(' ');
    const { numbers, closed } = shards.find(({ id }) => id === name) as FakeShard;
    const left = numbers.filter((number) => number > Number(after));
    const found = left.slice(0, Limit);
    const Records = found.map((number) => ({ dynamodb: { SequenceNumber: String(number) } }));
    const isEnd = closed && found.length === left.length;
    return { Records, ...(!isEnd && { NextShardIterator: `${name} ${found.at(-1) ?? after}` }) };
  },
};

const server = createServer(async (request, response) => {
  const operation = String(request.headers['x-amz-target']).split('.')[1] ?? '';
  response.end(JSON.stringify(operations[operation]?.((await json(request)) as Input)));
}).listen(0, '127.0.0.1');
await once(server, 'listening');
const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
afterAll(() => server.close());

const numbersOf = (records: DynamoDBRecord[]) =>
  records.map(({ dynamodb }) => Number(dynamodb?.SequenceNumber));

it.each([
  [undefined, [9, 10]],
  ['9', [10]],
  ['10', []],
  ['11', [100]],
  ['99', [100]],
  ['100', []],
])(
  'after record %s it is read on in the oldest shard with later records',
  async (position, numbers) => {
    const stream = new StreamReader(url, 'arn:stream');

    const { records } = await stream.read(await stream.iteratorAfter(position), 10);

    expect(numbersOf(records)).toEqual(numbers);
  },
);

it('a stream is delivered to its end, from each closed shard on to the one that follows it', async () => {
  const delivered: number[] = [];
  const poller = new StreamPoller({
    dynamodbUrl: url,
    queuesUrl: url,
    streamArn: 'arn:stream',
    batchSize: 10,
    gatheringMs: 0,
    maxRetries: 0,
    filters: [],
    failureQueueUrl: undefined,
    function: {
      invoke: async ({ Records }: { Records: DynamoDBRecord[] }) => {
        delivered.push(...numbersOf(Records));
        return null;
      },
    } as unknown as FunctionHost,
    follower: undefined,
    narrator: new Narrator(() => {}),
  });

  const until = (numbers: number[]) =>
    vi.waitFor(() => expect(delivered).toEqual(numbers), { timeout: 20_000 });
  await until([9, 10, 100]);
  Object.assign(shards[3] as FakeShard, { numbers: [101], closed: true });
  await until([9, 10, 100, 101]);
  shards.push({ id: 'fifth', parent: 'fourth', numbers: [102], closed: false });
  await until([9, 10, 100, 101, 102]);
  poller.stop();
});
