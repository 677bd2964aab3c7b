import { authorizeRequest } from '../shared/keys/authorize.ts';

/** The gateway's TOKEN authorizer. */
export const handler = authorizeRequest;
