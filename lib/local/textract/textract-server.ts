import Fastify from 'fastify';
import type { Engine } from '../engines/engine.ts';
import { addControlRoutes } from './control-routes.ts';
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

/**
 * Starts a server that speaks Textract's protocol, with the operations `DetectDocumentText` and
 * `AnalyzeDocument`. `POST /faults` makes requests fail, `GET /requests` counts them.
 */
export async function startTextractServer(options: TextractOptions = {}): Promise<Engine> {
  const { port = 0, pagesPerSecond = Number.POSITIVE_INFINITY } = options;
  const recognizer = options.recognize
    ? { recognize: options.recognize, close: async () => {} }
    : tesseractRecognizer();
  const closing = new AbortController();
  const app = Fastify({ bodyLimit: bodyLimitBytes, forceCloseConnections: true });
  const controls = { faults: new FaultPlan(), meter: new RequestMeter(pagesPerSecond) };
  addOperationRoute(app, { ...controls, recognize: recognizer.recognize, closing: closing.signal });
  addControlRoutes(app, controls);
  const url = await app.listen({ host: '127.0.0.1', port });
  return {
    url,
    close: async () => {
      closing.abort();
      await Promise.all([app.close(), recognizer.close()]);
    },
  };
}
