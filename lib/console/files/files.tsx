import { useRef, useState } from 'preact/hooks';
import { useLive } from '../api/live.ts';
import { Awaited } from '../parts/failed.tsx';
import { Quiet } from '../parts/quiet.tsx';
import { listFiles } from './file.ts';
import { FileTable } from './file-table.tsx';
import { UploadForm } from './upload-form.tsx';

/** The key's files, the newest first, and the form that uploads one. */
export function Files() {
  const pages = useRef(1);
  const [isUploading, setUploading] = useState(false);
  const list = useLive('files', (signal) => listFiles(pages.current, signal));
  const older = () => {
    pages.current += 1;
    list.reload();
  };

  return (
    <>
      <div class="bar-of-choices">
        <h1>Files</h1>
        <Quiet aria-expanded={isUploading} onClick={() => setUploading(!isUploading)}>
          Upload a file
        </Quiet>
      </div>
      {isUploading && <UploadForm onUploaded={list.reload} />}
      <Awaited of={list} lines={8} />
      {list.value?.files.length === 0 && (
        <p class="empty">
          No files yet. Upload one: the requests of a batch, or a document for jobs and chats.
        </p>
      )}
      {list.value && list.value.files.length > 0 && (
        <FileTable
          files={list.value.files}
          caption="Files, the newest first"
          reload={list.reload}
        />
      )}
      {list.value?.hasMore && <Quiet onClick={older}>Older files</Quiet>}
    </>
  );
}
