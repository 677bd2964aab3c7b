import { root } from '../api/call.ts';
import { Copy } from '../parts/copy.tsx';
import { linkTo } from '../route.ts';

const call = `curl ${root}v1/chat/completions \\
  -H "Authorization: Bearer $KEY" \\
  -d '{"model": "gpt-5-mini", "messages": [{"role": "user", "content": "Hello"}]}'`;

/** What a key that was not used yet may begin with. */
export function Starts() {
  return (
    <>
      <p class="note">Nothing was used in this period. What you do shows here within seconds:</p>
      <div class="starts">
        <article>
          <h3>Ask a model</h3>
          <p class="note">Files, images and the web may go along.</p>
          <a href={linkTo('playground')}>Open the playground</a>
        </article>
        <article>
          <h3>Read a folder</h3>
          <p class="note">
            Each file is read; fields are taken from it, with their places on the page.
          </p>
          <a href={linkTo('jobs', 'new')}>Submit a job</a>
        </article>
        <article>
          <h3>Call it from code</h3>
          <pre>
            <code>{call}</code>
          </pre>
          <Copy text={call} />
        </article>
      </div>
    </>
  );
}
