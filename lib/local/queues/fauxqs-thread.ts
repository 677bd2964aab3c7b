import { workerData } from 'node:worker_threads';
import { startFauxqs } from 'fauxqs';
import { reportEngine } from '../engines/engine.ts';

// The thread of fauxqs: SQS and S3 in one server, kept in folders or, without them, in memory.
const { dataDir, s3StorageDir } = workerData as { dataDir?: string; s3StorageDir?: string };
const server = await startFauxqs({
  port: 0,
  logger: false,
  ...(dataDir && { dataDir }),
  ...(s3StorageDir && { s3StorageDir }),
});
reportEngine({ url: server.address, close: () => server.stop() });
