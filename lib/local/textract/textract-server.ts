import Fastify, { type FastifyInstance } from 'fastify';
import type { Engine } from '../engines/engine.ts';
import { requireSignature } from '../engines/signature.ts';
import { addOperationRoute } from './operation-route.ts';
import type { Recognize } from './recognized-page.ts';
import { tesseractRecognizer } from './tesseract.ts';

/** Ten megabytes in base64 and the JSON around them: larger images than allowed are refused by their size. */
const bodyLimitBytes = 15 * 1024 * 1024;

export interface TextractOptions {
  port?: number;
  /** Reads an image's text; by default Tesseract does. */
  recognize?: Recognize;
  /** Adds hooks that come before all others, as tests do that make requests fail. */
  prepare?: (app: FastifyInstance) => void;
}

/** Starts a server that speaks Textract's protocol, with the operations `DetectDocumentText` and `AnalyzeDocument`. */
export async function startTextractServer(options: TextractOptions = {}): Promise<Engine> {
  const { port = 0, prepare } = options;
  const recognizer = recognizerOf(options);
  const closing = new AbortController();
  const app = Fastify({ bodyLimit: bodyLimitBytes, forceCloseConnections: true });
  prepare?.(app);
  addOperationRoute(app, { recognize: recognizer.recognize, closing: closing.signal });
  requireSignature(app.server);
  const url = await app.listen({ host: '127.0.0.1', port });
  return {
    url,
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
