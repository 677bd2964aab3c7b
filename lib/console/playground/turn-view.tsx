import type { Source } from '../../../shared/chat/chat-event.ts';
import { Copy } from '../parts/copy.tsx';
import { Failed } from '../parts/failed.tsx';
import { count, counted, usd } from '../parts/format.ts';
import { isOfTheWeb, Markdown } from '../parts/markdown.tsx';
import type { Turn } from './chat-request.ts';
import { Rating } from './rating.tsx';

/** A message and its answer. */
export function TurnView({ turn, index }: { turn: Turn; index: number }) {
  const { question, attachments, state, text, steps, sources, failure } = turn;
  const isRunning = state === 'running';
  return (
    <li>
      <div class="question">
        <p>{question}</p>
        {attachments.map(({ name, image }) => (
          <small key={name} class="attachment">
            {image && <img src={`data:${image.mime_type};base64,${image.base64}`} alt="" />}
            {name}
          </small>
        ))}
      </div>
      <div class="answer" aria-busy={isRunning}>
        {steps.length > 0 && <Steps steps={steps} isRunning={isRunning && text === ''} />}
        {text !== '' && (
          <Markdown
            text={text}
            isWhole={!isRunning}
            openSource={(n) => openSource(sourceId(index, n))}
          />
        )}
        <Sources sources={sources} idOf={(n) => sourceId(index, n)} />
        {state === 'stopped' && <p class="note">You stopped it. What was written is billed.</p>}
        <Failed error={failure} />
        {!isRunning && <Facts turn={turn} index={index} />}
      </div>
    </li>
  );
}

const sourceId = (index: number, n: number) => `source-${index}-${n}`;

/** What was done before the answer began: the last step alone, once there are more. */
function Steps({ steps, isRunning }: { steps: string[]; isRunning: boolean }) {
  const [only] = steps;
  if (steps.length === 1) {
    return isRunning ? (
      <p class="steps" role="status">
        {only}
      </p>
    ) : null;
  }
  return (
    <details class="steps" open={isRunning}>
      <summary role={isRunning ? 'status' : undefined}>
        {isRunning ? steps.at(-1) : `${steps.length} steps`}
      </summary>
      <ol>
        {steps.map((step, index) => (
          <li key={`${index} ${step}`}>{step}</li>
        ))}
      </ol>
    </details>
  );
}

/** The figures of an answer, and its rating. */
function Facts({ turn, index }: { turn: Turn; index: number }) {
  const { text, model, usage, finishReason } = turn;
  return (
    <div class="facts">
      <small>
        {[
          model,
          usage && usd(usage.cost_usd),
          usage && `${count(usage.tokens.prompt)} tokens in, ${count(usage.tokens.completion)} out`,
          usage?.web_search && counted(usage.web_search.searches, 'search', 'searches'),
          finishReason === 'length' && 'cut off at its limit',
        ]
          .filter(Boolean)
          .join(' · ')}
      </small>
      {text !== '' && <Copy text={text} />}
      {turn.messageId && <Rating turn={turn} index={index} />}
    </div>
  );
}

/** The sources of an answer as footnotes, by the numbers that it cites them by. */
function Sources({ sources, idOf }: { sources: Source[]; idOf(n: number): string }) {
  if (sources.length === 0) return null;
  return (
    <section class="sources" aria-label="Sources">
      {sources.map(({ n, title, url, site, snippet }) => (
        <details key={n} id={idOf(n)}>
          <summary>
            [{n}] {title} <small>{site}</small>
          </summary>
          {snippet && <p>{snippet}</p>}
          {isOfTheWeb(url) ? (
            <a href={url} target="_blank" rel="noopener noreferrer">
              {url}
            </a>
          ) : (
            <p>{url}</p>
          )}
        </details>
      ))}
    </section>
  );
}

/** Opens a footnote, and brings the keyboard there. */
function openSource(id: string): void {
  const footnote = document.getElementById(id);
  if (!(footnote instanceof HTMLDetailsElement)) return;
  footnote.open = true;
  footnote.querySelector('summary')?.focus();
}
