import type { SQSEvent } from 'aws-lambda';
import type { LateCall } from '../../../shared/ledger/audit/late-call.ts';
import type { Ledger } from './ledger-process.ts';
import type { VirtualTime } from './virtual-time.ts';

const batchSize = 10;
const readers = 2;
const hiddenMs = 120_000;
const sendMs = 20;

/** The queue of late calls and the function that reads it, two at once. What it fails at comes again. */
export class LateQueue {
  handedOver = 0;
  /** The sort keys of the charges that wait to be booked, each with how often it does. */
  readonly waiting = new Map<string, number>();
  private readonly ready: string[] = [];
  private atWork = 0;
  private readonly time: VirtualTime;
  private readonly ledger: () => Ledger;

  constructor(time: VirtualTime, ledger: () => Ledger) {
    this.time = time;
    this.ledger = ledger;
  }

  async send(body: string, delaySeconds: number): Promise<void> {
    await this.time.sleep(sendMs);
    this.handedOver += 1;
    this.wait(body, 1);
    this.showAfter(body, delaySeconds * 1000);
  }

  private wait(body: string, more: number): void {
    const { entry } = (JSON.parse(body) as LateCall).charge;
    const times = (this.waiting.get(entry) ?? 0) + more;
    if (times > 0) this.waiting.set(entry, times);
    else this.waiting.delete(entry);
  }

  private showAfter(body: string, ms: number): void {
    this.time.after(ms, () => {
      this.ready.push(body);
      void this.read();
    });
  }

  private async read(): Promise<void> {
    if (this.atWork >= readers) return;
    this.atWork += 1;
    while (this.ready.length > 0) {
      const bodies = this.ready.splice(0, batchSize);
      const Records = bodies.map((body, index) => ({ messageId: `${index}`, body }));
      const { batchItemFailures } = await this.ledger().bookLateCalls({ Records } as SQSEvent);
      const failed = new Set(batchItemFailures.map(({ itemIdentifier }) => Number(itemIdentifier)));
      for (const [index, body] of bodies.entries()) {
        if (failed.has(index)) this.showAfter(body, hiddenMs);
        else this.wait(body, -1);
      }
    }
    this.atWork -= 1;
  }
}
