import * as parameterStore from './parameter-store.ts';
import * as secretsManager from './secrets-manager.ts';

/**
 * Reads a secret from the store that its ARN names. Commands use this as `#secret-store`; a function's bundle has the
 * one that the deployment was set to, so that it needn't carry both clients.
 */
export function readSecretText(arn: string): Promise<string | undefined> {
  const store = arn.split(':')[2] === 'ssm' ? parameterStore : secretsManager;
  return store.readSecretText(arn);
}
