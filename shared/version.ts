/** The version of the service and of its API; `package.json` has the same. */
export const version = '1.0.0';
