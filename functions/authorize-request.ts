import { authorizeRequest } from '../shared/keys/authorize.ts';

/** The gateway's authorizers: of a token, and of a request. */
export const handler = authorizeRequest;
