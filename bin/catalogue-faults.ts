import { CatalogueError } from '../shared/models/catalogue-error.ts';

// Prints a faulty catalogue's message alone. A program imports this first: the catalogue is checked as the program's other
// modules load, before any `try`.
process.on('uncaughtExceptionMonitor', (error) => {
  if (!(error instanceof CatalogueError)) return;
  console.error(error.message);
  process.exit(1);
});
