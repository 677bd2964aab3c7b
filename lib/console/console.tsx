import '@picocss/pico/css/pico.classless.css';
import 'uplot/dist/uPlot.min.css';
import './console.css';
import './files/files.css';
import './jobs/jobs.css';
import './jobs/evidence/evidence.css';
import './playground/playground.css';
import { render } from 'preact';
import { replaceUnknownLanguage } from './language.ts';
import { Undrawn } from './parts/undrawn.tsx';

try {
  replaceUnknownLanguage();
  // Loaded only now: one of its modules reads the language, and any of them may fail as it is loaded.
  const { draw } = await import('./app.tsx');
  draw();
} catch (error) {
  reportError(error);
  render(<Undrawn error={error as Error} />, document.body);
}
