import '@picocss/pico/css/pico.classless.css';
import './console.css';
import './files/files.css';
import './jobs/jobs.css';
import './jobs/evidence/evidence.css';
import './playground/playground.css';
import { render } from 'preact';
import { Undrawn } from './parts/undrawn.tsx';

try {
  // Loaded only now: any of its modules may fail as it is loaded.
  const { draw } = await import('./app.tsx');
  draw();
} catch (error) {
  reportError(error);
  render(<Undrawn error={error as Error} />, document.body);
}
