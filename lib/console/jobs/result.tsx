import { useState } from 'preact/hooks';
import type { JobResult } from '../../../shared/jobs/results/result.ts';
import { Copy } from '../parts/copy.tsx';
import { Markdown } from '../parts/markdown.tsx';
import { Quiet } from '../parts/quiet.tsx';
import { save } from '../parts/save.ts';
import { Scrolled } from '../parts/table.tsx';
import { Warnings, warnedOf } from './evidence/coverage.tsx';
import { Fields } from './evidence/fields.tsx';
import { LongResult } from './evidence/long-result.tsx';
import type { Job } from './job.ts';
import { partsOf, type ResultPart } from './result-text.ts';

/** A job's result: its texts, or values beside their pages. */
export function Result({ job, result }: { job: Job; result: JobResult }) {
  return (
    <section aria-labelledby="result">
      <h2 id="result">Result</h2>
      {result.type === 'extract' &&
        (result.url ? (
          <LongResult job={job} url={result.url} />
        ) : (
          <Fields job={job} result={result} />
        ))}
      {result.type === 'ocr' && <Warnings texts={warnedOf(result)} />}
      {result.type === 'pipeline' && <Warnings texts={warnedOf(result.ocr)} />}
      {partsOf(result).map((part) => (
        <Part key={part.title} part={part} name={nameFor(job, part)} />
      ))}
    </section>
  );
}

function Part({ part: { title, text, format, url }, name }: { part: ResultPart; name: string }) {
  const [isPlain, setPlain] = useState(format === 'jsonl');
  return (
    <article aria-label={title}>
      <div class="bar-of-choices">
        <h3>{title}</h3>
        {text !== null && format === 'markdown' && (
          <Quiet class="small" aria-pressed={isPlain} onClick={() => setPlain(!isPlain)}>
            Plain text
          </Quiet>
        )}
      </div>
      {text === null ? (
        url && (
          <a href={url} target="_blank" rel="noopener noreferrer">
            Open the text: it is too long to be shown here
          </a>
        )
      ) : isPlain ? (
        <Text text={text} name={name} />
      ) : (
        <>
          <Scrolled label={title}>
            <Markdown text={text} isWhole />
          </Scrolled>
          <TextActions text={text} name={name} />
        </>
      )}
    </article>
  );
}

/** A text as it is, with what may be done with it. */
export function Text({ text, name }: { text: string; name: string }) {
  return (
    <>
      <Scrolled label={name}>
        <pre class="folded">
          <code>{text}</code>
        </pre>
      </Scrolled>
      <TextActions text={text} name={name} />
    </>
  );
}

function TextActions({ text, name }: { text: string; name: string }) {
  return (
    <div class="actions">
      <Copy text={text} />
      <Quiet class="small" onClick={() => save(new Blob([text], { type: 'text/plain' }), name)}>
        Download
      </Quiet>
    </div>
  );
}

const nameFor = ({ id, filename }: Job, { format, title }: ResultPart) =>
  `${filename ?? id}.${title.toLowerCase().split(' ')[0]}.${format === 'jsonl' ? 'jsonl' : 'md'}`;
