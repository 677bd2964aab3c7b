import type { MemoryLimit } from './memory-limit.ts';
import { Pdfium } from './pdfium.ts';

/** The PDFium of a process: documents that are open at the same time share one, and the next ones get another. */
export class SharedPdfium {
  private readonly limit: MemoryLimit;
  private pdfium: Promise<Pdfium> | undefined;
  private users = 0;

  constructor(limit: MemoryLimit) {
    this.limit = limit;
  }

  /** Returns PDFium for one more document. */
  use(): Promise<Pdfium> {
    this.users += 1;
    this.pdfium ??= Pdfium.load(this.limit);
    return this.pdfium;
  }

  /** Tells that a document is closed, or could not be opened. */
  release(): void {
    this.users -= 1;
    if (this.users === 0) this.pdfium = undefined;
  }
}
