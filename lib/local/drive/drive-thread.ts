import { workerData } from 'node:worker_threads';
import { reportEngine } from '../engines/engine.ts';
import { type DriveServerOptions, startDriveServer } from './drive-server.ts';

// The thread of the stage's Drive.
reportEngine(await startDriveServer(workerData as DriveServerOptions));
