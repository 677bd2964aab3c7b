import '../light-http.ts';

import { workerData } from 'node:worker_threads';
import { reportEngine } from '../engines/engine.ts';
import { startTextractServer, type TextractOptions } from './textract-server.ts';

// The thread of the stage's Textract.
const { url, close } = await startTextractServer(workerData as TextractOptions);
reportEngine({ url, close });
