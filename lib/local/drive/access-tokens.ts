import { randomBytes } from 'node:crypto';
import { DriveError } from './drive-error.ts';

const lifetimeSeconds = 3599;

/** @see https://developers.google.com/workspace/drive/api/guides/api-specific-auth */
const driveScope = 'https://www.googleapis.com/auth/drive';
const writingScopes = [driveScope, `${driveScope}.file`];
const readingScopes = [...writingScopes, `${driveScope}.readonly`];

const signInAdvice =
  'Expected OAuth 2 access token, login cookie or other valid authentication credential. \
See https://developers.google.com/identity/sign-in/web/devconsole-project.';
const header = { location: 'Authorization', locationType: 'header' };

/** The access tokens that were granted, and what each may do. */
export class AccessTokens {
  private readonly granted = new Map<string, { scopes: string[]; expiresAtMs: number }>();

  /** Makes a new token. Returns the body of the token endpoint's response. */
  grant(scopes: string[]) {
    const token = `ya29.${randomBytes(48).toString('base64url')}`;
    this.granted.set(token, { scopes, expiresAtMs: Date.now() + lifetimeSeconds * 1000 });
    return { access_token: token, expires_in: lifetimeSeconds, token_type: 'Bearer' };
  }

  /** Throws Drive's 401 or 403 unless the header carries a token that may read or, if `writes`, write. */
  check(authorization: string | undefined, writes: boolean): void {
    const token = authorization?.match(/^Bearer (.+)$/i)?.[1];
    if (!token) {
      const message = `Request is missing required authentication credential. ${signInAdvice}`;
      throw new DriveError(401, 'required', message, header);
    }
    const known = this.granted.get(token);
    if (!known || known.expiresAtMs < Date.now()) {
      const message = `Request had invalid authentication credentials. ${signInAdvice}`;
      throw new DriveError(401, 'authError', message, header);
    }
    const sufficient = writes ? writingScopes : readingScopes;
    if (known.scopes.some((scope) => sufficient.includes(scope))) return;
    const message = 'Request had insufficient authentication scopes.';
    throw new DriveError(403, 'insufficientPermissions', message);
  }
}
