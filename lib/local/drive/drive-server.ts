import type { KeyObject } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import type { FastifyInstance } from 'fastify';
import type { Engine } from '../engines/engine.ts';
import { newServer } from '../engines/new-server.ts';
import { refusePages } from '../engines/page-requests.ts';
import {
  AccessTokens,
  createServiceAccount,
  isGranted,
  type ServiceAccount,
} from './access-tokens.ts';
import { sendExport, sendMedia } from './downloads.ts';
import { DriveError } from './drive-error.ts';
import { DriveFolder, rootFolderId } from './drive-folder.ts';
import { DriveIndex, newFileId } from './drive-index.ts';
import { type ListParameters, listFiles } from './file-list.ts';
import { describeFile, readFields } from './file-resource.ts';
import { FullTexts } from './full-text.ts';
import { ResumableUploads } from './resumable-uploads.ts';
import { addWriteRoutes } from './write-routes.ts';

export interface DriveServerOptions {
  folder: string;
  /** The file that keeps ids and properties; without one they end with the server. */
  indexFile?: string | undefined;
  /** Adds hooks that come before all others, as tests do that make requests fail. */
  prepare?: (app: FastifyInstance) => void;
}

/** A running Drive. */
export interface DriveEngine extends Engine {
  rootFolderId: string;
  /** The one account that can sign in, new at each start. */
  serviceAccount: ServiceAccount;
}

/** Serves a folder on disk over Drive's v3 protocol. */
export async function startDriveServer({
  folder: path,
  indexFile,
  prepare,
}: DriveServerOptions): Promise<DriveEngine> {
  mkdirSync(path, { recursive: true });
  const index = new DriveIndex(indexFile);
  const tokens = new AccessTokens();
  const account = createServiceAccount();
  const { serviceAccount } = account;
  const folder = new DriveFolder(path, index);
  const uploads = new ResumableUploads(path);
  const app = newServer({ forceCloseConnections: true });
  prepare?.(app);
  leaveBodies(app);
  addErrors(app);
  addTokenRoute(app, tokens, account.publicKey);
  addAuthorization(app, tokens);
  addFileRoutes(app, folder);
  addWriteRoutes(app, folder, uploads);
  refusePages(app.server);

  const url = await app.listen({ host: '127.0.0.1', port: 0 });
  serviceAccount.token_uri = `${url}/token`;
  return {
    url,
    rootFolderId,
    serviceAccount,
    close: async () => {
      await app.close();
      uploads.discardAll();
      index.close();
    },
  };
}

/** Bodies are not parsed here: each route reads its own as it comes. */
function leaveBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', (_request, body, done) => done(null, body));
}

function addAuthorization(app: FastifyInstance, tokens: AccessTokens): void {
  app.addHook('onRequest', async ({ method, routeOptions: { url }, query, headers }) => {
    if (url === undefined || url === '/token') return;
    // The address of a resumable upload is its own credential.
    if (method === 'PUT' && (query as { upload_id?: string }).upload_id) return;
    tokens.check(headers.authorization);
  });
}

function addErrors(app: FastifyInstance): void {
  app.setNotFoundHandler((_request, reply) => {
    const unknown = new DriveError(404, 'notFound', 'Not Found');
    return reply.code(404).send(unknown.body);
  });

  app.setErrorHandler(async (error: Error & { statusCode?: number }, request, reply) => {
    await drain(request.body as AsyncIterable<unknown> | undefined);
    // On a connection kept open, the unread rest of a body would be taken for the next request.
    if (!request.raw.complete) reply.header('connection', 'close');
    const { statusCode = 500, message } = error;
    const isKnown = error instanceof DriveError;
    if (!isKnown && statusCode === 500) console.error(error);
    const driveError = isKnown ? error : new DriveError(statusCode, 'internalError', message);
    return reply
      .code(driveError.statusCode)
      .type('application/json; charset=UTF-8')
      .send(driveError.body);
  });
}

/** Reads the rest of a body: a client that still sends would see a broken connection instead of the error. */
async function drain(body: AsyncIterable<unknown> | undefined): Promise<void> {
  try {
    for await (const _ of body ?? []);
  } catch {
    // The connection broke, and nobody waits for the error.
  }
}

/** Adds the routes that read: files.list, files.get, files.export and files.generateIds. */
function addFileRoutes(app: FastifyInstance, folder: DriveFolder): void {
  const texts = new FullTexts(folder);
  app.get<{ Querystring: ListParameters }>('/drive/v3/files', ({ query }) =>
    listFiles(folder, texts, query),
  );

  app.get('/drive/v3/files/generateIds', () => ({ ids: [newFileId()] }));

  app.get<{ Params: { fileId: string }; Querystring: { alt?: string; fields?: string } }>(
    '/drive/v3/files/:fileId',
    ({ params: { fileId }, query: { alt, fields } }, reply) => {
      const entry = folder.get(fileId);
      if (alt === 'media') return sendMedia(folder, entry, reply);
      return describeFile(folder, entry, readFields(fields));
    },
  );

  app.get<{ Params: { fileId: string }; Querystring: { mimeType?: string } }>(
    '/drive/v3/files/:fileId/export',
    ({ params: { fileId }, query: { mimeType } }, reply) =>
      sendExport(folder, folder.get(fileId), mimeType, reply),
  );
}

/** Adds POST /token, which gives an access token for an assertion that the service account has signed. */
function addTokenRoute(app: FastifyInstance, tokens: AccessTokens, publicKey: KeyObject): void {
  app.post('/token', async ({ raw }, reply) => {
    const assertion = new URLSearchParams(await text(raw)).get('assertion') ?? '';
    if (isGranted(assertion, publicKey)) return tokens.grant();
    return reply.code(400).send({ error: 'invalid_grant' });
  });
}
