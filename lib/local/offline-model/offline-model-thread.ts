import { reportEngine } from '../engines/engine.ts';
import { startOfflineModel } from './offline-model-server.ts';

// The thread of the offline model.
reportEngine(await startOfflineModel());
