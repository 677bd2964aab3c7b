import type { ComponentChildren } from 'preact';
import { useErrorBoundary } from 'preact/hooks';

/** Stands in place of what could not be drawn. */
export function Undrawn({ error }: { error: Error }) {
  return (
    <div role="alert" class="refusal">
      <p>
        <strong>This page could not be drawn.</strong>
      </p>
      <p>What went wrong: {error.message}</p>
      <button type="button" class="quiet" onClick={() => location.reload()}>
        Load it again
      </button>
    </div>
  );
}

/** Draws what is in it or, if that fails, says so: an error would leave an empty page. */
export function Drawn({ children }: { children: ComponentChildren }) {
  const [error] = useErrorBoundary((thrown) => reportError(thrown));
  return error ? <Undrawn error={error} /> : children;
}
