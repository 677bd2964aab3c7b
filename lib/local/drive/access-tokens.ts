import { randomBytes } from 'node:crypto';
import { DriveError } from './drive-error.ts';

const lifetimeSeconds = 3599;
const drive = 'https://www.googleapis.com/auth/drive';
const writing = [drive, `${drive}.file`];
const reading = [...writing, `${drive}.readonly`];

const signIn =
  'Expected OAuth 2 access token, login cookie or other valid authentication credential. \
See https://developers.google.com/identity/sign-in/web/devconsole-project.';
const place = { location: 'Authorization', locationType: 'header' };

/** The access tokens that were granted, and what each may do. */
export class AccessTokens {
  private readonly granted = new Map<string, { scopes: string[]; expiresAtMs: number }>();

  grant(scopes: string[]) {
    const token = `ya29.${randomBytes(48).toString('base64url')}`;
    this.granted.set(token, { scopes, expiresAtMs: Date.now() + lifetimeSeconds * 1000 });
    return { access_token: token, expires_in: lifetimeSeconds, token_type: 'Bearer' };
  }

  /** Throws unless the header carries a token that may do this. */
  check(authorization: string | undefined, writes: boolean): void {
    const token = authorization?.match(/^Bearer (.+)$/i)?.[1];
    if (!token) {
      const reason = `Request is missing required authentication credential. ${signIn}`;
      throw new DriveError(401, 'required', reason, place);
    }
    const known = this.granted.get(token);
    if (!known || known.expiresAtMs < Date.now()) {
      const reason = `Request had invalid authentication credentials. ${signIn}`;
      throw new DriveError(401, 'authError', reason, place);
    }
    const enough = writes ? writing : reading;
    if (known.scopes.some((scope) => enough.includes(scope))) return;
    const reason = 'Request had insufficient authentication scopes.';
    throw new DriveError(403, 'insufficientPermissions', reason);
  }
}
