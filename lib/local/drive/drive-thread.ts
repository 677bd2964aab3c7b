import { parentPort, workerData } from 'node:worker_threads';
import { type DriveServerOptions, startDriveServer } from './drive-server.ts';

// The thread of the stage's Drive.
const { url, serviceAccount, close } = await startDriveServer(workerData as DriveServerOptions);
parentPort?.once('message', async () => {
  await close();
  process.exit();
});
parentPort?.postMessage({ url, serviceAccount });
