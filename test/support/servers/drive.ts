import { sign } from 'node:crypto';
import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { FastifyInstance } from 'fastify';
import { auth, drive, type drive_v3 } from 'googleapis';
import { afterAll } from 'vitest';
import type { ServiceAccount } from '../../../lib/local/drive/access-tokens.ts';
import { type DriveEngine, startDriveServer } from '../../../lib/local/drive/drive-server.ts';
import { countRequests, type Fault, FaultInjector } from './drive-faults.ts';

/** A Drive over a folder of its own. */
export interface TestDrive extends DriveEngine {
  faults: FaultInjector;
  /** How many requests of each kind came so far, such as `GET /drive/v3/files/:fileId?alt=media`. */
  requests(): Record<string, number>;
  folder: string;
  /** Google's own client, signed in. */
  client: drive_v3.Drive;
  /** Writes a file into the folder, as its user would. */
  put(path: string, content?: string | Uint8Array): void;
  /** Moves a file or a folder into another folder, as a user of Google Drive does: it and what lies in it keep their ids. */
  move(path: string, to: string): void;
  /** The id of the one file of this name. */
  idOf(name: string): Promise<string>;
  /** Calls the Drive without Google's client, signed in. */
  call(path: string, init?: RequestInit): Promise<Response>;
  /** Makes something go wrong with the next requests it matches. */
  fault(...faults: Fault[]): void;
}

/** Gives a test file a Drive on an empty folder, which is removed after its last test. */
export async function useDrive(): Promise<TestDrive> {
  const drive = await startDrive();
  afterAll(() => drive.close());
  return drive;
}

async function startDrive(): Promise<TestDrive> {
  const base = mkdtempSync(join(tmpdir(), 'quire-drive-'));
  const folder = join(base, 'Drive');
  const faults = new FaultInjector();
  let requests = (): Record<string, number> => ({});
  const unexpected: Error[] = [];
  const prepare = (app: FastifyInstance) => {
    requests = countRequests(app);
    faults.addTo(app);
    app.addHook('onError', async (_request, _reply, error) => {
      const isKnown = 'statusCode' in error;
      if (!isKnown && error.message !== 'Cut on demand.') unexpected.push(error);
    });
  };
  const indexFile = join(base, 'drive.db');
  const server = await startDriveServer({ folder, indexFile, prepare });
  const token = await accessToken(server.serviceAccount);
  const client = driveClient(server.url, token);
  return {
    ...server,
    faults,
    requests,
    folder,
    client,
    put: (path, content = '') => {
      const file = join(folder, path);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, content);
    },
    move: (path, to) => {
      renameSync(join(folder, path), join(folder, to, basename(path)));
      moveInIndex(indexFile, path, to);
    },
    idOf: (name) => idOf(client, name),
    call: (path, init = {}) => {
      const headers = { authorization: `Bearer ${token}`, ...init.headers };
      return fetch(new URL(path, server.url), { ...init, headers });
    },
    fault: (...more) => faults.add(...more),
    close: async () => {
      await server.close();
      rmSync(base, { recursive: true });
      // A client tries again what the Drive failed at, and its test may not notice.
      if (unexpected.length > 0) throw new AggregateError(unexpected, `${unexpected[0]?.stack}`);
    },
  };
}

function moveInIndex(indexFile: string, path: string, to: string): void {
  const db = new DatabaseSync(indexFile);
  const parent = path.includes('/') ? dirname(path) : '';
  const moved = 'UPDATE files SET parent = ? WHERE parent = ? AND disk_name = ?';
  db.prepare(moved).run(to, parent, basename(path));
  const within = `UPDATE files SET parent = ? || substr(parent, length(?) + 1)
    WHERE parent = ? OR substr(parent, 1, length(?) + 1) = ? || '/'`;
  db.prepare(within).run(join(to, basename(path)), path, path, path, path);
  db.close();
}

/** Google's client for the Drive at this URL. */
export function driveClient(url: string, token: string): drive_v3.Drive {
  const signedIn = new auth.OAuth2();
  signedIn.setCredentials({ access_token: token });
  return drive({ version: 'v3', auth: signedIn, rootUrl: url });
}

export async function accessToken(account: ServiceAccount): Promise<string> {
  const answer = await askToken(account, { scope: 'https://www.googleapis.com/auth/drive' });
  return ((await answer.json()) as { access_token: string }).access_token;
}

/** Asks for an access token by an assertion with these claims. */
export function askToken(
  account: ServiceAccount,
  claims: Record<string, unknown> = {},
  privateKey = account.private_key,
): Promise<Response> {
  const now = Math.floor(Date.now() / 1000);
  const signed = [
    { alg: 'RS256', typ: 'JWT', kid: account.private_key_id },
    { iss: account.client_email, aud: account.token_uri, iat: now, exp: now + 3600, ...claims },
  ]
    .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
    .join('.');
  const signature = sign('RSA-SHA256', Buffer.from(signed), privateKey).toString('base64url');
  return fetch(account.token_uri, {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer',
      assertion: `${signed}.${signature}`,
    }),
  });
}

async function idOf(client: drive_v3.Drive, name: string): Promise<string> {
  const escaped = name.replace(/[\\']/g, '\\$&');
  const { data } = await client.files.list({ q: `name = '${escaped}'`, fields: 'files(id)' });
  const [file, another] = data.files ?? [];
  if (!file?.id || another) throw new Error(`${data.files?.length} files named ${name}`);
  return file.id;
}
