import '../light-http.ts';

import { workerData } from 'node:worker_threads';
import {
  type DriveEngine,
  type DriveServerOptions,
  startDriveServer,
} from '../drive/drive-server.ts';
import { type Engine, reportEngine } from '../engines/engine.ts';
import { startOfflineModel } from '../offline-model/offline-model-server.ts';
import { startWebServer, type WebServerOptions } from '../web/web-server.ts';

/** What the providers work with. The offline model runs unless a real one is there. */
export interface ProvidersOptions {
  drive: DriveServerOptions;
  web: WebServerOptions;
  hasModel: boolean;
}

/** The servers that stand for providers outside of AWS, in one thread: each thread has a heap of its own. */
export interface Providers extends Engine {
  drive: Omit<DriveEngine, 'close'>;
  web: Omit<Awaited<ReturnType<typeof startWebServer>>, 'close'>;
  offlineModel: Omit<Awaited<ReturnType<typeof startOfflineModel>>, 'close'> | undefined;
}

const { drive, web, hasModel } = workerData as ProvidersOptions;
const started = await Promise.all([
  startDriveServer(drive),
  startWebServer(web),
  hasModel ? undefined : startOfflineModel(),
]);
const [{ url, rootFolderId, serviceAccount }, { searchUrl, url: webUrl }, model] = started;
reportEngine<Providers>({
  url,
  drive: { url, rootFolderId, serviceAccount },
  web: { url: webUrl, searchUrl },
  offlineModel: model && { url: model.url, key: model.key },
  close: async () => void (await Promise.all(started.map((each) => each?.close()))),
});
