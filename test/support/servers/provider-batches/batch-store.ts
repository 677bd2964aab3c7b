import { randomUUID } from 'node:crypto';

/** What came of one request: an answer, or a refusal. */
export interface Answered {
  status: number;
  body: object;
}

/** Answers a request to a route, as it is answered outside of batches. */
export type AnswerRequest = (url: string, body: Record<string, unknown>) => Answered;

/** Answers a chat completion's request. */
export type AnswerChat = (body: Record<string, unknown>) => Answered;

/** A request of a batch, in either protocol. */
export interface BatchRequest {
  customId: string;
  url: string;
  body: Record<string, unknown>;
}

/** A batch as it was made, and what has become of it. */
export interface StoredBatch {
  id: string;
  createdAtMs: number;
  requests: BatchRequest[];
  /** When it was told to end. */
  cancelledAtMs?: number;
  /** What came of its requests, by their order: nothing for those that were not answered. */
  answers?: (Answered | undefined)[];
  /** What the protocol keeps beside. */
  fileId?: string;
  endpoint?: string;
  metadata?: Record<string, string> | null;
  outputs?: { output?: string; error?: string };
}

/** How batches go here, which a test may change at any time. */
export interface BatchBehaviour {
  /** How long a batch takes. */
  delayMs: number;
  /** How many requests are answered by when it is told to end. */
  answeredAtCancel: number;
  /** What becomes of a batch that is about to be made: it is refused with a status, or made and its answer lost. */
  onMake: (number | 'answer lost')[];
  /** What comes of a request, if not its answer; `missing` for no result. */
  answerOf?: ((request: BatchRequest) => Answered | 'missing' | undefined) | undefined;
}

/** The batches of a provider that lives as long as its process, and the files of their requests and results. */
export class BatchStore {
  readonly behaviour: BatchBehaviour;
  readonly files = new Map<string, Buffer>();
  readonly batches: StoredBatch[] = [];
  private readonly answer: AnswerRequest;

  constructor(answer: AnswerRequest, behaviour: Partial<BatchBehaviour> = {}) {
    this.answer = answer;
    this.behaviour = { delayMs: 2_000, answeredAtCancel: 0, onMake: [], ...behaviour };
  }

  addFile(content: Buffer): string {
    const id = `file-${randomUUID().replaceAll('-', '')}`;
    this.files.set(id, content);
    return id;
  }

  add(id: string, requests: BatchRequest[], rest: Partial<StoredBatch> = {}): StoredBatch {
    const batch = { id, createdAtMs: Date.now(), requests, ...rest };
    this.batches.push(batch);
    return batch;
  }

  /** Finds a batch as it stands now; undefined if there is none. */
  find(id: string): StoredBatch | undefined {
    const batch = this.batches.find((each) => each.id === id);
    if (batch) this.moveOn(batch);
    return batch;
  }

  /** All batches as they stand now, the newest first. */
  newestFirst(): StoredBatch[] {
    for (const batch of this.batches) this.moveOn(batch);
    return this.batches.toReversed();
  }

  cancel(batch: StoredBatch): void {
    if (!batch.answers) batch.cancelledAtMs ??= Date.now();
  }

  private moveOn(batch: StoredBatch): void {
    const { createdAtMs, cancelledAtMs, requests } = batch;
    if (batch.answers) return;
    const { delayMs, answeredAtCancel } = this.behaviour;
    const isCancelled = cancelledAtMs !== undefined && Date.now() > cancelledAtMs;
    if (!isCancelled && Date.now() < createdAtMs + delayMs) return;
    const count = isCancelled ? answeredAtCancel : requests.length;
    batch.answers = requests.map((request, at) => (at < count ? this.came(request) : undefined));
  }

  private came(request: BatchRequest): Answered | undefined {
    const told = this.behaviour.answerOf?.(request);
    if (told === 'missing') return undefined;
    return told ?? this.answer(request.url, request.body);
  }
}
