import '../light-http.ts';

import { subscribe } from 'node:diagnostics_channel';
import { parentPort, workerData } from 'node:worker_threads';
import type { FastifyInstance, FastifyListenOptions } from 'fastify';
import { startFauxqs } from 'fauxqs';
import { reportEngine } from '../engines/engine.ts';
import { linkJudge } from '../engines/links.ts';
import { requireSignature } from '../engines/signature.ts';
import type { Permissions } from '../permissions/policies.ts';

// The thread of fauxqs: SQS and S3 in one server, kept in folders or, without them, in memory.
const { dataDir, s3StorageDir } = workerData as { dataDir?: string; s3StorageDir?: string };

const { judgeLink, setPermissions } = linkJudge();
parentPort?.on('message', ({ permissions }: { permissions?: Permissions[] }) => {
  if (permissions) setPermissions(permissions);
});

/** S3 takes 5 GB at once, and fauxqs 11 MB. Nothing here is put in one piece that is larger than this. */
const maxBodyBytes = 64 * 1024 * 1024;

/**
 * fauxqs listens on every address of the machine, and checks no credentials. Its server is one of Fastify's,
 * which announces each.
 * @see https://fastify.dev/docs/latest/Reference/Hooks/#diagnostics-channel-hooks
 */
subscribe('fastify.initialization', (message) => {
  const { fastify } = message as { fastify: FastifyInstance };
  const listen = fastify.listen.bind(fastify) as (options: FastifyListenOptions) => Promise<string>;
  fastify.listen = ((options: FastifyListenOptions) =>
    listen({ ...options, host: '127.0.0.1' })) as typeof fastify.listen;
  fastify.addHook('onRoute', (route) => {
    route.bodyLimit = maxBodyBytes;
  });
  requireSignature(fastify.server, judgeLink);
});

const server = await startFauxqs({
  port: 0,
  logger: false,
  ...(dataDir && { dataDir }),
  ...(s3StorageDir && { s3StorageDir }),
});
reportEngine({ url: server.address, close: () => server.stop() });
