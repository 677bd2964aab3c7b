import Fastify from 'fastify';
import type { Engine } from '../engines/engine.ts';
import { addControls } from './control-routes.ts';
import { FaultPlan } from './fault-plan.ts';
import { addOperations } from './operation-route.ts';
import type { Recognize } from './recognized-page.ts';
import { Traffic } from './request-meter.ts';
import { tesseractRecognizer } from './tesseract.ts';

/** Ten megabytes in base64, and what stands around them. */
const bodyLimitBytes = 15 * 1024 * 1024;

export interface TextractOptions {
  port?: number;
  /** More requests a second are refused, as AWS does beyond an account's rate. */
  pagesPerSecond?: number;
  /** What reads an image's text; by default Tesseract. */
  recognize?: Recognize;
}

/**
 * Starts a Textract on this machine: `DetectDocumentText` and `AnalyzeDocument` over AWS's protocol.
 * `POST /faults` makes requests fail, `GET /requests` counts them.
 */
export async function startTextractServer(options: TextractOptions = {}): Promise<Engine> {
  const { port = 0, pagesPerSecond = Number.POSITIVE_INFINITY } = options;
  const recognizer = options.recognize
    ? { recognize: options.recognize, close: async () => {} }
    : tesseractRecognizer();
  const closing = new AbortController();
  const app = Fastify({ bodyLimit: bodyLimitBytes, forceCloseConnections: true });
  const parts = { faults: new FaultPlan(), traffic: new Traffic(pagesPerSecond) };
  addOperations(app, { ...parts, recognize: recognizer.recognize, closing: closing.signal });
  addControls(app, parts);
  const url = await app.listen({ host: '127.0.0.1', port });
  return {
    url,
    close: async () => {
      closing.abort();
      await Promise.all([app.close(), recognizer.close()]);
    },
  };
}
