/** What a function logs of a request, or of a job's end. */
export type Fields = Record<string, unknown>;

/** A request that is over. */
export interface EndedRequest {
  method: string;
  path: string;
  status: number;
  ms: number;
  hungUp: boolean;
  /** The fields that the authorizer and the function logged. */
  fields: Fields;
}

/** How long after an invocation's end its log line may come: result and log leave its thread by different channels. */
const logDelayMs = 500;

/** Puts together what is known of a request, and prints it once, when both the client and the function are done. */
export class RequestLine {
  private readonly print: (request: EndedRequest) => void;
  private readonly head: Pick<EndedRequest, 'method' | 'path'>;
  private readonly startedAt = performance.now();
  private fields: Fields = {};
  private end: Pick<EndedRequest, 'status' | 'ms' | 'hungUp'> | undefined;
  private isDescribed = true;

  constructor(method: string, path: string, print: (request: EndedRequest) => void) {
    this.head = { method, path };
    this.print = print;
  }

  /** Notes the key's name, as the authorizer says it. */
  calledBy({ keyName, refused }: Fields): void {
    this.fields = { key: keyName, ...(refused !== undefined && { error: refusals[`${refused}`] }) };
  }

  /** Waits for a function that handles the request. */
  awaits(invocation: Promise<unknown>): void {
    this.isDescribed = false;
    const describe = () => setTimeout(() => this.described({}), logDelayMs).unref();
    invocation.then(describe, describe);
  }

  /** Adds the fields that the function logged for it. */
  described(fields: Fields): void {
    if (this.isDescribed) return;
    this.fields = { ...this.fields, ...fields };
    this.isDescribed = true;
    this.printIfWhole();
  }

  /** Tells that the client has got the whole response, or what came before it hung up. */
  async answered(status: number, isWhole: boolean | Promise<boolean>): Promise<void> {
    const ms = performance.now() - this.startedAt;
    this.end = { status, ms, hungUp: !(await isWhole) };
    this.printIfWhole();
  }

  private printIfWhole(): void {
    if (this.end && this.isDescribed)
      this.print({ ...this.head, ...this.end, fields: this.fields });
  }
}

const refusals: Record<string, string> = {
  malformed: 'no API key, or a malformed one',
  unknown: 'no such API key',
  rotated: 'a secret that was rotated away',
  expired: 'the key has expired',
  revoked: 'the key is revoked',
};
