import { withOwnFiles } from '../../chat/own-files.ts';
import { findFile } from '../../files/find-file.ts';
import { maxBodyBytes } from '../../http/bounds.ts';
import type { Room } from '../../http/byte-budget.ts';
import { valueError } from '../../http/errors.ts';
import type { JobSubmission } from './submission.ts';

const ownFiles = { loc: ['body', 'inline', 'messages'], maxBytes: maxBodyBytes };

/** Returns a submission with the bytes of the files that it names. Throws a 422 for one that the key doesn't have. */
export async function withFiles(
  keyId: string,
  submission: JobSubmission,
  room: Room,
): Promise<JobSubmission> {
  const { file_id, inline } = submission;
  if (file_id !== null && !(await findFile(keyId, file_id))) {
    throw valueError(['body', 'file_id'], `no such file: ${file_id}`);
  }
  if (!inline) return submission;
  const messages = await withOwnFiles(inline.messages, { keyId, room, ...ownFiles });
  return { ...submission, inline: { messages } };
}
