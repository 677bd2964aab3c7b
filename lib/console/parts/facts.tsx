import type { ComponentChildren } from 'preact';

export type Fact = [name: string, value: ComponentChildren];

/** Facts by their names. One without a value is left out. */
export const Facts = ({ rows, kind }: { rows: Fact[]; kind?: string }) => (
  <dl>
    {rows
      .filter(([, value]) => value !== null && value !== undefined && value !== false)
      .map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd class={kind}>{value}</dd>
        </div>
      ))}
  </dl>
);
