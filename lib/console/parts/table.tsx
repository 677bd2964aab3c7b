import type { ComponentChildren } from 'preact';
import { Scrolled } from './scrolled.tsx';

/** A table that scrolls by itself; its rows are given. Cells are figures, but those of columns in `texts`. */
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
