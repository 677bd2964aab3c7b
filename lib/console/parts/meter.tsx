/** A part of a whole, by name. */
export interface MeterPart {
  /** Names its colour too. */
  name: 'spent' | 'held' | 'left' | 'done' | 'failed';
  value: number;
  /** The value in words, such as `$3 spent`. */
  text: string;
}

/** A bar of parts, and the parts in words under it. */
export function Meter({
  label,
  total,
  parts,
}: {
  label: string;
  total: number;
  parts: MeterPart[];
}) {
  const words = parts.map(({ text }) => text).join(', ');
  return (
    <>
      <div class="meter" role="img" aria-label={`${label}: ${words}`}>
        {parts.map(({ name, value }) => (
          <span key={name} class={name} style={{ width: `${share(value, total)}%` }} />
        ))}
      </div>
      <p class="legend" aria-hidden="true">
        {parts.map(({ name, text }) => (
          <span key={name} class={name}>
            {text}
          </span>
        ))}
      </p>
    </>
  );
}

const share = (value: number, total: number) =>
  total > 0 ? Math.min(100, (value / total) * 100) : 0;
