import { ago, bytes } from '../parts/format.ts';
import { Table } from '../parts/table.tsx';
import { linkTo } from '../route.ts';
import { expiryOf, type FileObject, isoOf } from './file.ts';
import { FileActions } from './file-page.tsx';

/** Files as rows, each with a link to its page and what may be done with it. */
export function FileTable({
  files,
  caption,
  titleOf = ({ filename }) => filename,
  reload,
}: {
  files: FileObject[];
  caption: string;
  /** What a file is called here, if not by its name. */
  titleOf?: (file: FileObject) => string;
  reload: () => void;
}) {
  return (
    <Table
      label={caption}
      kind="files"
      columns={['File', 'Purpose', 'Size', 'Made', 'Expires', 'Actions']}
      texts={['Purpose']}
    >
      {files.map((file) => (
        <tr key={file.id}>
          <th scope="row">
            <a href={linkTo('files', file.id)}>{titleOf(file)}</a>
          </th>
          <td class="text">{file.purpose}</td>
          <td>{bytes(file.bytes)}</td>
          <td>{ago(isoOf(file.created_at))}</td>
          <td>{expiryOf(file)}</td>
          <td>
            <FileActions file={file} onGone={reload} />
          </td>
        </tr>
      ))}
    </Table>
  );
}
