import { Fragment } from 'preact';
import { useState } from 'preact/hooks';
import { count } from '../../parts/format.ts';
import { Quiet } from '../../parts/quiet.tsx';
import { Table } from '../../parts/table.tsx';
import { Correction } from './correction.tsx';
import { isPicked, type View } from './marks.ts';
import { Pick } from './value-button.tsx';
import type { ValueTable } from './values.ts';

/** The rows that are shown at first: a browser draws thousands slowly. */
const rowsAtOnce = 200;

/** The rows of an array as a table; what proves a cell, and its form, stand under its row. */
export function ValueRows({ table, view }: { table: ValueTable; view: View }) {
  const { name, columns, rows } = table;
  const [limit, setLimit] = useState(rowsAtOnce);
  const { picked } = view;
  const pickedRow = rows.findIndex(
    (row) => picked?.place === 'own' && row.some(({ path }) => path === picked.id),
  );
  const shown = rows.slice(0, Math.max(limit, pickedRow + 1));
  return (
    <section aria-label={name}>
      <h3>
        {name} <small>{count(rows.length)} rows</small>
      </h3>
      {rows.length > 0 && (
        <Table label={`Rows of ${name}`} kind="rows" columns={['#', ...columns]} texts={columns}>
          {shown.map((row, index) => {
            const open = row.find(({ path }) => isPicked(view, path, 'own'));
            return (
              <Fragment key={row[0]?.path}>
                <tr>
                  <th scope="row">{index + 1}</th>
                  {row.map((cell) => (
                    <td key={cell.path} class="text">
                      <Pick value={cell} place="own" view={view} />
                    </td>
                  ))}
                </tr>
                {open && (
                  <tr>
                    <td class="text" colSpan={columns.length + 1}>
                      <Correction key={open.path} value={open} view={view} />
                    </td>
                  </tr>
                )}
              </Fragment>
            );
          })}
        </Table>
      )}
      {rows.length > shown.length && (
        <Quiet class="small" onClick={() => setLimit(limit + rowsAtOnce)}>
          Show more of {count(rows.length)} rows
        </Quiet>
      )}
    </section>
  );
}
