import { type Ask, type Upload, upload } from '../../client/upload.ts';
import { call } from '../api/call.ts';
import { Failure } from '../api/failure.ts';

/** Uploads a file that the page's user has chosen. Tells how many bytes have arrived. */
export const uploadChosen = (
  file: File,
  how: Pick<Upload, 'purpose' | 'keptSeconds'>,
  onProgress: (sent: number) => void,
  signal: AbortSignal,
) => upload(call, { file, name: file.name, ...how }, { askPart, onProgress, signal });

/** Pauses before a part is sent again. */
const pausesMs = [1_000, 4_000, 10_000];

/** Sends a part, and again if the service was out of reach or busy: a part whose answer was lost does no harm. */
const askPart: Ask = async (method, path, body, signal) => {
  for (let tries = 0; ; tries += 1) {
    try {
      return await call(method, path, body, signal);
    } catch (error) {
      const pauseMs = pausesMs[tries];
      if (pauseMs === undefined || !isPassing(error)) throw error;
      await pause(pauseMs, signal);
    }
  }
};

const isPassing = (error: unknown) =>
  error instanceof Failure && (error.status === 0 || error.status === 429 || error.status >= 500);

function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, ms);
    signal?.addEventListener('abort', () => {
      clearTimeout(timer);
      reject(signal.reason);
    });
  });
}
