import { fromEnv } from '@aws-sdk/credential-provider-env';

/** Stands in for the SDK's default provider in bundles: credentials come from the environment alone. */
export const defaultProvider = fromEnv;
