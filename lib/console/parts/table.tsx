import type { ComponentChildren } from 'preact';

/** A table that scrolls by itself; its rows are given. Cells are figures, but in the columns of `texts`. */
export function Table({
  label,
  columns,
  texts = [],
  kind,
  children,
}: {
  label: string;
  columns: readonly string[];
  texts?: readonly string[];
  kind?: string;
  children: ComponentChildren;
}) {
  return (
    <Scrolled label={label}>
      <table class={kind}>
        <thead>
          <tr>
            {columns.map((column, index) => (
              <th key={index} scope="col" class={texts.includes(column) ? 'text' : undefined}>
                {column}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </Scrolled>
  );
}

/** Holds what may be wider or longer than the screen, so that the keyboard scrolls it too. */
export function Scrolled({ label, children }: { label: string; children: ComponentChildren }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what is scrolled must take the focus
    <section class="scrolled" aria-label={label} tabIndex={0}>
      {children}
    </section>
  );
}
