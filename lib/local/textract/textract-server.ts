import Fastify from 'fastify';
import type { Engine } from '../engines/engine.ts';
import { requireSignature } from '../engines/signature.ts';
import { FaultPlan } from './fault-plan.ts';
import { addOperationRoute } from './operation-route.ts';
import type { Recognize } from './recognized-page.ts';
import { RequestMeter } from './request-meter.ts';
import { tesseractRecognizer } from './tesseract.ts';

/** Ten megabytes in base64 and the JSON around them: larger images than allowed are refused by their size. */
const bodyLimitBytes = 15 * 1024 * 1024;

export interface TextractOptions {
  port?: number;
  /** The rate beyond which requests are refused, as AWS does beyond an account's quota; by default none. */
  pagesPerSecond?: number;
  /** Reads an image's text; by default Tesseract does. */
  recognize?: Recognize;
}

/** A Textract that runs in this thread, whose requests can be made to fail, and are counted. */
export interface TextractServer extends Engine {
  faults: FaultPlan;
  meter: RequestMeter;
}

/** Starts a server that speaks Textract's protocol, with the operations `DetectDocumentText` and `AnalyzeDocument`. */
export async function startTextractServer(options: TextractOptions = {}): Promise<TextractServer> {
  const { port = 0, pagesPerSecond = Number.POSITIVE_INFINITY } = options;
  const recognizer = recognizerOf(options);
  const closing = new AbortController();
  const app = Fastify({ bodyLimit: bodyLimitBytes, forceCloseConnections: true });
  const [faults, meter] = [new FaultPlan(), new RequestMeter(pagesPerSecond)];
  const { recognize } = recognizer;
  addOperationRoute(app, { faults, meter, recognize, closing: closing.signal });
  requireSignature(app.server);
  const url = await app.listen({ host: '127.0.0.1', port });
  return {
    url,
    faults,
    meter,
    close: async () => {
      // First, or some who wait for a page would be answered with its failure.
      app.server.closeAllConnections();
      closing.abort();
      await Promise.all([app.close(), recognizer.close()]);
    },
  };
}

const recognizerOf = ({ recognize }: TextractOptions) =>
  recognize ? { recognize, close: async () => {} } : tesseractRecognizer();
