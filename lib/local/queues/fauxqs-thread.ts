import { parentPort, workerData } from 'node:worker_threads';
import { startFauxqs } from 'fauxqs';

// The thread of fauxqs: SQS and S3 in one server, kept in `dataDir` or, without one, in memory.
const { dataDir, s3StorageDir } = workerData as { dataDir?: string; s3StorageDir?: string };
const server = await startFauxqs({
  port: 0,
  logger: false,
  ...(dataDir && { dataDir }),
  ...(s3StorageDir && { s3StorageDir }),
});
parentPort?.once('message', async () => {
  await server.stop();
  process.exit();
});
parentPort?.postMessage({ url: server.address });
