import type { SQSEvent } from 'aws-lambda';
import type { Ledger } from './ledger-process.ts';
import type { VirtualTime } from './virtual-time.ts';

const batchSize = 10;
const readers = 2;
const hiddenMs = 120_000;
const sendMs = 20;

/** The queue of late calls and the function that reads it, two at once. What it fails at comes again. */
export class LateQueue {
  handedOver = 0;
  waiting = 0;
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
    this.waiting += 1;
    this.showAfter(body, delaySeconds * 1000);
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
      this.waiting -= bodies.length - failed.size;
      for (const index of failed) this.showAfter(bodies[index] as string, hiddenMs);
    }
    this.atWork -= 1;
  }
}
