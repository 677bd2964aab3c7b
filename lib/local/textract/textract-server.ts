import Fastify from 'fastify';
import type { Engine } from '../engines/engine.ts';
import { addControlRoutes } from './control-routes.ts';
import { FaultPlan } from './fault-plan.ts';
import { addOperationRoute } from './operation-route.ts';
import type { Recognize } from './recognized-page.ts';
import { RequestMeter } from './request-meter.ts';
import { tesseractRecognizer } from './tesseract.ts';
import { tesseractJs } from './tesseract-js.ts';
import { findNativeTesseract } from './tesseract-native.ts';

/** Ten megabytes in base64 and the JSON around them: larger images than allowed are refused by their size. */
const bodyLimitBytes = 15 * 1024 * 1024;

export interface TextractOptions {
  port?: number;
  /** The rate beyond which requests are refused, as AWS does beyond an account's quota; by default none. */
  pagesPerSecond?: number;
  /** Reads an image's text; by default Tesseract does. */
  recognize?: Recognize;
  /** Which Tesseract does: by default the machine's own if it has one. */
  tesseract?: 'native' | 'js';
}

/** A running Textract, and the name of what reads its pages. */
export interface TextractServer extends Engine {
  reader: string;
}

/**
 * Starts a server that speaks Textract's protocol, with the operations `DetectDocumentText` and
 * `AnalyzeDocument`. `POST /faults` makes requests fail, `GET /requests` counts them.
 */
export async function startTextractServer(options: TextractOptions = {}): Promise<TextractServer> {
  const { port = 0, pagesPerSecond = Number.POSITIVE_INFINITY } = options;
  const recognizer = await recognizerOf(options);
  const closing = new AbortController();
  const app = Fastify({ bodyLimit: bodyLimitBytes, forceCloseConnections: true });
  const controls = { faults: new FaultPlan(), meter: new RequestMeter(pagesPerSecond) };
  addOperationRoute(app, { ...controls, recognize: recognizer.recognize, closing: closing.signal });
  addControlRoutes(app, controls);
  const url = await app.listen({ host: '127.0.0.1', port });
  return {
    url,
    reader: recognizer.name,
    close: async () => {
      closing.abort();
      await Promise.all([app.close(), recognizer.close()]);
    },
  };
}

async function recognizerOf({ recognize, tesseract }: TextractOptions) {
  if (recognize) return { name: 'a function', recognize, close: async () => {} };
  const native = tesseract === 'js' ? undefined : await findNativeTesseract();
  if (!native && tesseract === 'native') throw new Error('This machine has no tesseract');
  const reader = native ?? tesseractJs();
  return { name: reader.name, ...tesseractRecognizer(reader) };
}
