import { auth, drive, type drive_v3 } from 'googleapis';
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

/** Google Drive's API, with the credentials of the service account in one secret. */
export interface DriveClient {
  files: drive_v3.Drive['files'];
  /** Sends what `files` has no method for: resumable uploads. */
  request: (options: RequestOptions) => Promise<{ status: number; headers: Headers }>;
  rootUrl: string;
  /** The e-mail address that folders must be shared with. */
  account: string;
}

/** The timeout of one request. `callDrive` retries it. */
export const requestTimeoutMs = 20_000;

let current: { text: string; client: DriveClient } | undefined;

/** Returns the client for the secret as it is now. Throws 503 if no service account can be read from it. */
export async function driveClient(): Promise<DriveClient> {
  const secretId = setting('DRIVE_SECRET');
  const text = await secretText(secretId).catch((error: unknown) => {
    throw notSetUp('its secret holds no text, or can not be read', error);
  });
  if (current?.text === text) return current.client;
  try {
    current = { text, client: createClient(parseServiceAccount(text)) };
  } catch (error) {
    // Not cached, so that a corrected secret takes effect at once.
    forgetSecret(secretId);
    throw error;
  }
  return current.client;
}

/** Drops a client whose credentials Google refused, so that the next call reads the secret again. */
export function forgetDriveClient(client: DriveClient): void {
  if (current?.client !== client) return;
  current = undefined;
  forgetSecret(setting('DRIVE_SECRET'));
}

function createClient(account: ServiceAccount): DriveClient {
  const rootUrl = setting('GOOGLE_DRIVE_URL') ?? 'https://www.googleapis.com/';
  // Without it gaxios would load node-fetch.
  const oauth = new auth.OAuth2({ transporterOptions: { fetchImplementation: fetch } });
  oauth.refreshHandler = shared(() => fetchToken(oauth, account));
  const api = drive({ version: 'v3', auth: oauth, rootUrl, retry: false });
  return {
    files: api.files,
    request: (options) => oauth.request({ retry: false, ...options }),
    rootUrl,
    account: account.subject ?? account.client_email,
  };
}

const Token = v.object({ access_token: v.string(), expires_in: v.number() });

/**
 * Gets an access token for a signed assertion, without the user's part of OAuth.
 * @see https://www.rfc-editor.org/rfc/rfc7523#section-2.1
 * @see https://developers.google.com/identity/protocols/oauth2/service-account
 */
async function fetchToken({ transporter }: Authorized, account: ServiceAccount) {
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

/** Shares one call among all callers that come while it is under way. */
function shared<Value>(make: () => Promise<Value>): () => Promise<Value> {
  let underWay: Promise<Value> | undefined;
  return () => {
    underWay ??= make().finally(() => {
      underWay = undefined;
    });
    return underWay;
  };
}
