/** Holds the place of what is being loaded. */
export function Skeleton({ lines }: { lines: number }) {
  return (
    <div class="skeleton" aria-busy="true" role="status">
      <span class="unseen">Loading</span>
      {Array.from({ length: lines }, (_, line) => (
        <div key={line} class="line" />
      ))}
    </div>
  );
}
