import { auth, drive, type drive_v3 } from 'googleapis/build/src/apis/drive/index.js';
import * as v from 'valibot';
import { forgetSecret, secretText } from '../aws/secrets.ts';
import { setting } from '../config.ts';
import { unavailable } from './errors.ts';
import {
  notSetUp,
  parseServiceAccount,
  type ServiceAccount,
  signAssertion,
} from './service-account.ts';

type Authorized = InstanceType<typeof auth.OAuth2>;

type RequestOptions = Parameters<Authorized['request']>[0];

/** Google Drive, asked as the service account of one secret. */
export interface DriveClient {
  files: drive_v3.Drive['files'];
  /** Sends what the API's own methods can't: resumable uploads. */
  request: (options: RequestOptions) => Promise<{ status: number; headers: Headers }>;
  rootUrl: string;
  /** The address that folders must be shared with. */
  account: string;
}

/** A request's own patience; its retries are `callDrive`'s. */
export const requestTimeoutMs = 20_000;

let current: { text: string; client: DriveClient } | undefined;

/** The client for the secret as it is now; its access token is minted when first needed. */
export async function driveClient(): Promise<DriveClient> {
  const secretId = setting('DRIVE_SECRET');
  const text = await secretText(secretId).catch((error: unknown) => {
    throw notSetUp('its secret holds no text, or can not be read', error);
  });
  if (current?.text === text) return current.client;
  try {
    current = { text, client: createClient(parseServiceAccount(text)) };
  } catch (error) {
    // Once an operator has put the right text there, it counts at once.
    forgetSecret(secretId);
    throw error;
  }
  return current.client;
}

/** Drops a client that Google refused, so that the next one reads the secret anew. */
export function forgetDriveClient(client: DriveClient): void {
  if (current?.client !== client) return;
  current = undefined;
  forgetSecret(setting('DRIVE_SECRET'));
}

function createClient(account: ServiceAccount): DriveClient {
  const rootUrl = setting('GOOGLE_DRIVE_URL') ?? 'https://www.googleapis.com/';
  // Given fetch, gaxios doesn't load node-fetch.
  const oauth = new auth.OAuth2({ transporterOptions: { fetchImplementation: fetch } });
  oauth.refreshHandler = sharing(() => mintToken(oauth, account));
  const api = drive({ version: 'v3', auth: oauth, rootUrl, retry: false });
  return {
    files: api.files,
    request: (options) => oauth.request({ retry: false, ...options }),
    rootUrl,
    account: account.subject ?? account.client_email,
  };
}

const Token = v.object({ access_token: v.string(), expires_in: v.number() });

async function mintToken({ transporter }: Authorized, account: ServiceAccount) {
  const { data } = await transporter.request({
    url: account.token_uri,
    method: 'POST',
    data: new URLSearchParams({
      grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer',
      assertion: signAssertion(account),
    }),
    responseType: 'json',
    retry: false,
    timeout: requestTimeoutMs,
  });
  const token = v.safeParse(Token, data);
  if (!token.success) throw unavailable("The service account's token_uri answers no token.");
  const { access_token, expires_in } = token.output;
  return { access_token, expiry_date: Date.now() + expires_in * 1000 };
}

/** Requests that find no token at the same time wait for the same one. */
function sharing<Value>(make: () => Promise<Value>): () => Promise<Value> {
  let underWay: Promise<Value> | undefined;
  return () => {
    underWay ??= make().finally(() => {
      underWay = undefined;
    });
    return underWay;
  };
}
