import { workerData } from 'node:worker_threads';
import { reportEngine } from '../engines/engine.ts';
import { type DriveServerOptions, startDriveServer } from './drive-server.ts';

// The thread of the stage's Drive.
const drive = await startDriveServer(workerData as DriveServerOptions);
const { url, rootFolderId, serviceAccount, close } = drive;
reportEngine({ url, rootFolderId, serviceAccount, close });
