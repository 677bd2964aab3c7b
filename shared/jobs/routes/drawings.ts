import { ServiceError } from '../../http/errors.ts';

/** Enough for the pages that a few people look at: most take 300 KB. */
const maxBytes = 32 * 1024 * 1024;

/** How many of a key's pages are drawn, or wait to be, at once: a browser asks for six. */
const maxOfKey = 8;

type Drawing = { jpeg: Uint8Array } | { refusal: ServiceError };

/** The pages that this process drew last, or couldn't draw. A page that many ask for is drawn once. */
export class Drawings {
  /** The one that was asked for last is the last one. */
  private readonly kept = new Map<string, Drawing>();
  private readonly underWay = new Map<string, Promise<unknown>>();
  private readonly asking = new Map<string, number>();
  private bytes = 0;

  /** Returns a page that is kept, or draws it. Throws 429 if too many of the key's pages are being drawn, and what `draw` throws. */
  async get(keyId: string, page: string, draw: () => Promise<Uint8Array>): Promise<Uint8Array> {
    const id = `${keyId} ${page}`;
    const asking = this.asking.get(keyId) ?? 0;
    if (asking >= maxOfKey && !this.kept.has(id)) throw tooMany(asking);
    this.asking.set(keyId, asking + 1);
    try {
      // A drawing under way may be cut short.
      while (this.underWay.has(id)) await this.underWay.get(id);
      const drawing = this.kept.get(id) ?? (await this.draw(id, draw));
      this.keep(id, drawing);
      if ('refusal' in drawing) throw drawing.refusal;
      return drawing.jpeg;
    } finally {
      const left = (this.asking.get(keyId) ?? 0) - 1;
      if (left > 0) this.asking.set(keyId, left);
      else this.asking.delete(keyId);
    }
  }

  private async draw(id: string, draw: () => Promise<Uint8Array>): Promise<Drawing> {
    const drawing = draw().then(
      (jpeg) => ({ jpeg }),
      (error: unknown) => {
        if (error instanceof ServiceError && error.statusCode === 422) return { refusal: error };
        throw error;
      },
    );
    const settled = drawing
      .then((drawn) => this.keep(id, drawn))
      .catch(() => {})
      .finally(() => this.underWay.delete(id));
    this.underWay.set(id, settled);
    return await drawing;
  }

  private keep(id: string, drawing: Drawing): void {
    this.drop(id);
    this.kept.set(id, drawing);
    this.bytes += sizeOf(drawing);
    for (const oldest of this.kept.keys()) {
      if (this.bytes <= maxBytes) break;
      this.drop(oldest);
    }
  }

  private drop(id: string): void {
    const drawing = this.kept.get(id);
    if (drawing) this.bytes -= sizeOf(drawing);
    this.kept.delete(id);
  }
}

/** What a drawing takes in memory; a refusal has a place in the map and a few words. */
const sizeOf = (drawing: Drawing) => ('jpeg' in drawing ? drawing.jpeg.length : 0) + 1_024;

const tooMany = (count: number) =>
  new ServiceError(
    429,
    'rate_limit_exceeded',
    `${count} pages of this key are being drawn: ask for more when one of them has come.`,
    { retryAfterSeconds: 1 },
  );
