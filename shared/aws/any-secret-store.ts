import * as parameterStore from './parameter-store.ts';
import * as secretsManager from './secrets-manager.ts';

/** Reads a secret from the store that its ARN names. Commands use it; a function's bundle has only its own store's client. */
export function readSecretText(arn: string): Promise<string | undefined> {
  const store = arn.split(':')[2] === 'ssm' ? parameterStore : secretsManager;
  return store.readSecretText(arn);
}
