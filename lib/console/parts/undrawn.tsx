import type { ComponentChildren } from 'preact';
import { useErrorBoundary } from 'preact/hooks';
import { Quiet } from './quiet.tsx';

/** Stands in place of what could not be drawn. */
export function Undrawn({ error }: { error: Error }) {
  return (
    <div role="alert" class="refusal">
      <p>
        <strong>This page could not be drawn.</strong>
      </p>
      <p>What went wrong: {error.message}</p>
      <Quiet onClick={() => location.reload()}>Load it again</Quiet>
    </div>
  );
}

/** Draws what is in it or, if that fails, says so: an error would leave an empty page. */
export function Drawn({ children }: { children: ComponentChildren }) {
  const [error] = useErrorBoundary((thrown) => reportError(thrown));
  return error ? <Undrawn error={error} /> : children;
}
