import '@picocss/pico/css/pico.classless.css';
import 'uplot/dist/uPlot.min.css';
import './console.css';
import './jobs/jobs.css';
import './playground/playground.css';
import { render } from 'preact';
import { App } from './app.tsx';
import { adoptKey } from './key/key.ts';

adoptKey();
window.addEventListener('hashchange', adoptKey);
render(<App />, document.body);
