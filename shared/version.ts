/** The version of the service and of its interface, as `package.json` has it too. */
export const version = '1.0.0';
