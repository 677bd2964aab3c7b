import { useState } from 'preact/hooks';
import type { LineEndpoint } from '../../../shared/jobs/kinds/requests/file-line.ts';
import { call } from '../api/call.ts';
import { useAction } from '../parts/action.ts';
import { Failed } from '../parts/failed.tsx';
import { Select } from '../parts/select.tsx';
import { goTo } from '../route.ts';
import type { FileObject } from './file.ts';

const endpoints: LineEndpoint[] = ['/v1/chat/completions', '/v1/responses', '/v1/embeddings'];

const onBudget = [
  ['wait', 'They wait until it does'],
  ['fail', 'They fail, and cheaper ones go on'],
] as const;

/** The form that makes a batch of a file of requests. */
export function NewBatch({ file }: { file: FileObject }) {
  const [endpoint, setEndpoint] = useState<LineEndpoint>('/v1/chat/completions');
  const [lacking, setLacking] = useState<'wait' | 'fail'>('wait');
  const { problem, isBusy, act } = useAction();
  const submit = (event: Event) => {
    event.preventDefault();
    return act(async () => {
      const { id } = await call<{ id: string }>('POST', '/v1/batches', {
        input_file_id: file.id,
        endpoint,
        completion_window: '24h',
        metadata: { on_budget: lacking },
      });
      goTo('jobs', id.replace(/^batch_/, 'job_'));
    });
  };

  return (
    <section aria-labelledby="new-batch">
      <h2 id="new-batch">New batch of its requests</h2>
      <form class="narrow" onSubmit={submit}>
        <Select
          label="Endpoint of all its lines"
          of={endpoints}
          chosen={endpoint}
          choose={setEndpoint}
        />
        <Select
          label="Lines that the budget doesn’t cover"
          of={onBudget}
          chosen={lacking}
          choose={setLacking}
        />
        <Failed error={problem} />
        <button type="submit" disabled={isBusy}>
          Submit
        </button>
      </form>
    </section>
  );
}
