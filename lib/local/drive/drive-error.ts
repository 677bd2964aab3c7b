/** Where in a request Google sees the fault. */
interface Place {
  domain?: string;
  location?: string;
  locationType?: string;
}

/** An error as Drive answers it. */
export class DriveError extends Error {
  override readonly name = 'DriveError';
  readonly statusCode: number;
  readonly reason: string;
  readonly place: Place;

  constructor(statusCode: number, reason: string, message: string, place: Place = {}) {
    super(message);
    this.statusCode = statusCode;
    this.reason = reason;
    this.place = place;
  }

  get body() {
    const { statusCode: code, message, reason } = this;
    const status = rpcStatuses[code];
    return {
      error: {
        code,
        message,
        errors: [
          { message: shortMessages[reason] ?? message, domain: 'global', reason, ...this.place },
        ],
        ...(status && { status }),
      },
    };
  }
}

// Only the errors that are raised before Drive itself is reached name an RPC status.
const rpcStatuses: Record<number, string> = { 401: 'UNAUTHENTICATED' };

const shortMessages: Record<string, string> = {
  authError: 'Invalid Credentials',
  required: 'Login Required.',
};

export const fileNotFound = (id: string) =>
  new DriveError(404, 'notFound', `File not found: ${id}.`, {
    location: 'fileId',
    locationType: 'parameter',
  });

/** A parameter of the request that can't be read. */
export const invalidParameter = (
  location: string,
  message = 'Invalid Value',
  reason = 'invalid',
): DriveError => new DriveError(400, reason, message, { location, locationType: 'parameter' });

export const badRequest = (message: string) => new DriveError(400, 'badRequest', message);
