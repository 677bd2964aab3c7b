import { join } from 'node:path';

/** Returns the folder of the functions' bundles in an assembly. */
export const bundlesIn = (assemblyDir: string) => join(assemblyDir, 'bundles');
