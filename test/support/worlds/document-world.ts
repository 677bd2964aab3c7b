import { randomUUID } from 'node:crypto';
import { basename } from 'node:path';
import { ScanCommand } from '@aws-sdk/lib-dynamodb';
import type { SQSRecord } from 'aws-lambda';
import pLimit from 'p-limit';
import * as v from 'valibot';
import { afterAll } from 'vitest';
import type { RecognizedPage } from '../../../lib/local/textract/recognized-page.ts';
import { dynamodb } from '../../../shared/aws/dynamodb.ts';
import { setting } from '../../../shared/config.ts';
import type { Caller } from '../../../shared/http/caller.ts';
import { type Job, leaseMs } from '../../../shared/jobs/engine/item/job.ts';
import type { QueueName } from '../../../shared/jobs/engine/item/queue-shards.ts';
import { runChatJob } from '../../../shared/jobs/kinds/chat-queue.ts';
import { runFolderJob } from '../../../shared/jobs/kinds/folder-queue.ts';
import { runOcrJob } from '../../../shared/jobs/kinds/ocr-queue.ts';
import { getJob } from '../../../shared/jobs/routes/read.ts';
import { JobSubmission } from '../../../shared/jobs/routes/submission.ts';
import { submitJob } from '../../../shared/jobs/routes/submit.ts';
import { dispatchJobs } from '../../../shared/jobs/work/dispatch.ts';
import { sweepJobs } from '../../../shared/jobs/work/sweep.ts';
import { jobWorker } from '../../../shared/jobs/work/worker.ts';
import { issueKey } from '../../../shared/keys/key.ts';
import { defaultLimits, type KeyLimits } from '../../../shared/keys/key-limits.ts';
import { readGrey } from '../fixtures/small-documents.ts';
import { accessToken, driveClient, useDrive } from '../servers/drive.ts';
import { useModelStub } from '../servers/model-stub.ts';
import { contextOf, eventOf, onMessages, takeMessages } from '../servers/queue.ts';
import { anyRoom } from '../servers/rooms.ts';
import { type Fault, startTestTextract } from '../servers/textract-faults.ts';
import { minuteMs, pass } from './clock.ts';
import { itemOf } from './jobs.ts';
import { useStore } from './store.ts';
import { followStream } from './stream-tail.ts';

const lanes = {
  folder: { queue: () => setting('FOLDER_QUEUE_URL'), work: jobWorker(runFolderJob), atOnce: 10 },
  ocr: { queue: () => setting('OCR_QUEUE_URL'), work: jobWorker(runOcrJob), atOnce: 1 },
  chat: { queue: () => setting('CHAT_QUEUE_URL'), work: jobWorker(runChatJob), atOnce: 10 },
};

/** Copies of a lane's function that run at the same time. */
const workersAtOnce = 3;

/**
 * Gives a test file everything that a document meets, in this process: tables, queues and objects on the run's
 * engines, a Drive, a Textract that reads pages by `recognize`, and a model, which echoes again after each test.
 */
export async function useDocumentWorld(
  recognize: (image: Uint8Array) => Promise<RecognizedPage> = readGrey,
) {
  const [drive, textract, model] = await Promise.all([
    useDrive(),
    startTestTextract({ recognize }),
    useModelStub(),
  ]);
  afterAll(() => textract.close());
  await useStore({ queues: true, modelUrl: model.url, serviceAccount: drive.serviceAccount });
  Object.assign(process.env, {
    AWS_ENDPOINT_URL_TEXTRACT: textract.url,
    GOOGLE_DRIVE_URL: drive.url,
    TEXTRACT_PAGES_PER_SECOND: '100000',
  });
  const newRecords = followStream();
  /** The queues that have been sent messages since they were last empty. */
  const rung = new Set<string>();
  onMessages((queue) => rung.add(queue));

  let token = { value: '', until: 0 };

  /** Google's client, signed in: a token lasts for an hour of the test's clock. */
  async function signedIn() {
    if (token.until <= Date.now()) {
      const value = await accessToken(drive.serviceAccount);
      token = { value, until: Date.now() + 50 * minuteMs };
    }
    return driveClient(drive.url, token.value);
  }

  /** Returns the id of the one file of this name. */
  async function idOf(name: string): Promise<string> {
    const client = await signedIn();
    const q = `name = '${name}'`;
    const { files = [] } = (await client.files.list({ q, fields: 'files(id)' })).data;
    if (files.length !== 1) throw new Error(`${files.length} files are named ${name}`);
    return files[0]?.id ?? '';
  }

  async function dispatch(wanted?: 'a page'): Promise<number> {
    const records = await newRecords(wanted);
    const Records = records.filter(({ dynamodb }) => dynamodb?.NewImage?.['status']);
    if (Records.length > 0) await dispatchJobs({ Records });
    return Records.length;
  }

  /** Runs what a lane's queue has now; answers how many messages that were. */
  async function runLane({ queue, work, atOnce }: (typeof lanes)[QueueName]): Promise<number> {
    rung.delete(queue());
    const messages = await takeMessages(queue());
    const workers = pLimit(workersAtOnce);
    const batches = chunksOf(messages, atOnce).map((some) => eventOf(...some));
    await Promise.all(batches.map((batch) => workers(work, batch, contextOf())));
    return messages.length;
  }

  async function runLanes(among: (typeof lanes)[QueueName][]): Promise<number> {
    let count = 0;
    for (const lane of among) count += await runLane(lane);
    return count;
  }

  const allShards = Object.values(lanes);
  const rungLanes = () => allShards.filter(({ queue }) => rung.has(queue()));

  return {
    drive,
    textract,
    model,

    /** A key that may use the whole drive, as its caller. */
    async newCaller(limits: Partial<KeyLimits> = {}): Promise<Caller> {
      const given = { ...defaultLimits, images_per_hour: 10_000, drive_folders: ['local-drive'] };
      const key = { ...given, ...limits };
      const { id } = await issueKey(`test ${randomUUID()}`, key);
      return { keyId: id, limits: JSON.stringify(key) };
    },

    /** Puts a file on the drive, as its user would; answers its id. */
    async add(path: string, content: Uint8Array | string = ''): Promise<string> {
      drive.put(path, content);
      return idOf(basename(path));
    },

    idOf,

    /** What a file of the drive is called. */
    async nameOf(fileId: string): Promise<string> {
      const client = await signedIn();
      return (await client.files.get({ fileId, fields: 'name' })).data.name ?? '';
    },

    /** What a file of the drive holds. */
    async contentOf(fileId: string): Promise<string> {
      const client = await signedIn();
      const { data } = await client.files.get({ fileId, alt: 'media' }, { responseType: 'text' });
      return String(data);
    },

    submit: (caller: Caller, body: object) =>
      submitJob(caller, v.parse(JobSubmission, body), undefined, anyRoom()),

    dispatch: () => dispatch(),

    /** Submits the same job so many times, each by a caller of its own. */
    async submitEach(count: number, body: object, limits: Partial<KeyLimits> = {}) {
      const jobs: { caller: Caller; id: string }[] = [];
      for (let each = 0; each < count; each += 1) {
        const caller = await this.newCaller(limits);
        const { id } = await this.submit(caller, body);
        jobs.push({ caller, id });
      }
      await dispatch();
      return jobs;
    },

    /** The leases of workers lapse, and the sweep takes their jobs back. */
    async takeBack(): Promise<void> {
      pass(leaseMs + 1_000);
      await sweepJobs();
    },

    /** Runs what is ready in one lane, and nothing that follows from it. */
    async runOnly(lane: QueueName): Promise<void> {
      await dispatch();
      await runLane(lanes[lane]);
    },

    /** Moves everything on until nothing is left to move; the stream may lag the table by a moment. */
    async work(): Promise<void> {
      for (let idle = 0; idle < mostIdleRounds; idle += 1) {
        const dispatched = await dispatch('a page');
        // A message that was delayed is in a queue that nobody has rung since.
        const ran = await runLanes(idle === 0 ? rungLanes() : allShards);
        if (dispatched + ran > 0) idle = -1;
        else if (!(await isAnythingToMove())) return;
      }
      throw new Error('a job is ready, and no message comes for it');
    },

    sweepOnly: () => sweepJobs(),

    /** What a minute's sweep does, and what follows from it. */
    async sweep(): Promise<void> {
      await sweepJobs();
      await this.work();
    },

    /** Makes something go wrong with the next pages. */
    failTextract: (...faults: Fault[]) => textract.faults.add(faults),

    read: (caller: Caller, id: string) => getJob(caller, id),
    item: (caller: Caller, id: string): Promise<Job> =>
      itemOf({ key_id: caller.keyId, job_id: id }),
  };
}

const mostIdleRounds = 100;

/** Whether a job is ready to be claimed, or has ended and is not counted yet. */
async function isAnythingToMove(): Promise<boolean> {
  let from: Record<string, unknown> | undefined;
  do {
    const { Count, LastEvaluatedKey } = await dynamodb.send(
      new ScanCommand({
        TableName: setting('JOBS_TABLE'),
        FilterExpression:
          'attribute_exists(turn) OR (attribute_exists(completed_at) AND attribute_exists(parent_job_id) AND attribute_not_exists(counted))',
        Select: 'COUNT',
        ConsistentRead: true,
        ...(from && { ExclusiveStartKey: from }),
      }),
    );
    if (Count) return true;
    from = LastEvaluatedKey;
  } while (from);
  return false;
}

function chunksOf(messages: SQSRecord[], size: number): SQSRecord[][] {
  return messages.length === 0
    ? []
    : [messages.slice(0, size), ...chunksOf(messages.slice(size), size)];
}
