import { parentPort } from 'node:worker_threads';
import { startOfflineModel } from './server.ts';

const { url } = await startOfflineModel();
parentPort?.postMessage({ url });
