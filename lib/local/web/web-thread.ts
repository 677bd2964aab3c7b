import { workerData } from 'node:worker_threads';
import { reportEngine } from '../engines/engine.ts';
import { startWebServer, type WebServerOptions } from './web-server.ts';

// The thread of the stage's web.
reportEngine(await startWebServer(workerData as WebServerOptions));
