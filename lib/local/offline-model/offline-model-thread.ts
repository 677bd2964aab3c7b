import { parentPort } from 'node:worker_threads';
import { startOfflineModel } from './offline-model-server.ts';

const { url, close } = await startOfflineModel();
parentPort?.once('message', async () => {
  await close();
  process.exit();
});
parentPort?.postMessage({ url });
