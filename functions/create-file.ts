import { createFile } from '../shared/files/create-file.ts';
import { toFileObject } from '../shared/files/file.ts';
import { FileForm } from '../shared/files/requests.ts';
import { formEndpoint } from '../shared/http/form-endpoint.ts';

/** POST /v1/files */
export const handler = formEndpoint(
  { body: FileForm },
  async ({ body: { file, purpose, expires_after } }, { keyId }) => {
    const { filename, bytes } = file;
    const described = { filename, purpose, expiresAfterSeconds: expires_after?.seconds };
    return toFileObject(await createFile(keyId, described, [bytes]));
  },
);
