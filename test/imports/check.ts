import { fileURLToPath } from 'node:url';
import { upwardImports } from './upward-imports.ts';

const root = process.argv[2] ?? fileURLToPath(new URL('../..', import.meta.url));
const refused = upwardImports(root);
for (const sentence of refused) console.error(sentence);
process.exitCode = refused.length > 0 ? 1 : 0;
