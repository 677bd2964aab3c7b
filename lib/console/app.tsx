import { render } from 'preact';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { root } from './api/call.ts';
import { FilePage } from './files/file-page.tsx';
import { Files } from './files/files.tsx';
import { JobPage } from './jobs/job-page.tsx';
import { Jobs } from './jobs/jobs.tsx';
import { NewJob } from './jobs/new-job.tsx';
import { adoptKey, answerReference, apiKey, forgetKey, isKept } from './key/key.ts';
import { KeyForm } from './key/key-form.tsx';
import { Overview } from './overview/overview.tsx';
import { Quiet } from './parts/quiet.tsx';
import { Drawn } from './parts/undrawn.tsx';
import { Playground } from './playground/playground.tsx';
import { linkTo, route } from './route.ts';

const pages: [page: string, title: string][] = [
  ['overview', 'Overview'],
  ['jobs', 'Jobs'],
  ['files', 'Files'],
  ['playground', 'Playground'],
];

const reference = `${root}docs`;

/** Opens the reference so that it may ask this page for the key. */
function openReference(event: MouseEvent): void {
  if (event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  window.open(reference);
}

/** Forgets the key, and with it all that the page has shown of it: conversations, drafts, attachments. */
function signOut(): void {
  forgetKey();
  location.reload();
}

/** Draws the console: the form for the key, or the page that the URL names. */
export function draw(): void {
  adoptKey();
  window.addEventListener('hashchange', adoptKey);
  render(
    <Drawn>
      <App />
    </Drawn>,
    document.body,
  );
}

function App() {
  useEffect(() => {
    window.addEventListener('message', answerReference);
    return () => window.removeEventListener('message', answerReference);
  }, []);
  return apiKey.value ? <Pages /> : <KeyForm />;
}

function Pages() {
  const { page: named, argument } = route.value;
  const page = pages.some(([name]) => name === named) ? named : 'overview';
  const content = useRef<HTMLElement>(null);
  const isFirst = useRef(true);
  const title = pages.find(([name]) => name === page)?.[1] ?? 'Overview';

  // A new page is announced, and the keyboard goes on from its beginning.
  useLayoutEffect(() => {
    document.title = `${title} · Quire`;
    if (!isFirst.current) content.current?.focus();
    isFirst.current = false;
  }, [page, argument]);

  return (
    <>
      <header>
        <button type="button" class="skip" onClick={() => content.current?.focus()}>
          Skip to the page
        </button>
        <nav aria-label="Console">
          <ul>
            <li class="mark">
              <Mark />
              <span>Quire</span>
            </li>
            {pages.map(([name, text]) => (
              <li key={name}>
                <a href={linkTo(name)} aria-current={name === page ? 'page' : undefined}>
                  {text}
                </a>
              </li>
            ))}
            <li>
              <a href={reference} target="_blank" rel="noopener" onClick={openReference}>
                Docs
              </a>
            </li>
          </ul>
          <ul>
            <li>
              <Quiet class="wide-only" onClick={signOut}>
                Sign out
              </Quiet>
            </li>
          </ul>
        </nav>
      </header>
      <main ref={content} tabIndex={-1} aria-label={title}>
        <Drawn key={`${page}/${argument}`}>
          <Page page={page} argument={argument} />
        </Drawn>
      </main>
      <footer>
        <Quiet class="small narrow-only" onClick={signOut}>
          Sign out
        </Quiet>
        <small>
          The key sk-…{apiKey.value?.slice(-4)} stays in this{' '}
          {isKept.value
            ? 'tab until you close it or sign out'
            : 'page until you leave or reload it'}
          .
        </small>
        <small>
          <a href={document.body.dataset['notices'] ?? ''}>Licences</a>
        </small>
      </footer>
    </>
  );
}

/** A quire: sheets, folded together. */
const Mark = () => (
  <svg viewBox="0 0 32 32" fill="none" stroke="currentColor" stroke-width="2.4" aria-hidden="true">
    <path d="M16 27V9C13 6 8 5 4 5v17c4 0 9 1 12 5 3-4 8-5 12-5V5c-4 0-9 1-12 4M8 10.500c2 .3 4 1 5 2M24 10.500c-2 .3-4 1-5 2" />
  </svg>
);

function Page({ page, argument }: { page: string; argument: string | undefined }) {
  if (page === 'playground') return <Playground />;
  if (page === 'files') return argument === undefined ? <Files /> : <FilePage id={argument} />;
  if (page !== 'jobs') return <Overview />;
  if (argument === undefined) return <Jobs />;
  return argument === 'new' ? <NewJob /> : <JobPage id={argument} />;
}
