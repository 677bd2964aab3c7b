import { parentPort, workerData } from 'node:worker_threads';
import { startTextractServer, type TextractOptions } from './textract-server.ts';

const { url, close } = await startTextractServer(workerData as TextractOptions);
parentPort?.once('message', async () => {
  await close();
  process.exit();
});
parentPort?.postMessage({ url });
