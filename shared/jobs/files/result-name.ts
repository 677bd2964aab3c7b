import { createHash } from 'node:crypto';
import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { dynamodb, unlessConditionFails } from '../../aws/dynamodb.ts';
import { setting } from '../../config.ts';
import { type Job, retentionEnd } from '../job.ts';

/** The longest name that a file system takes, less what the local drive may add to make it unique. */
const maxNameBytes = 240;
const maxSlugBytes = 48;

type Named = Pick<Job, 'key_id' | 'drive_file_id' | 'filename' | 'pipeline_instruction'>;

/**
 * Returns the name of a job's result: its source's with `suffix`. The first question about a source has that name.
 * For another question its first words and six digits of its hash stand before the suffix.
 */
export async function resultName(job: Named, suffix: string): Promise<string> {
  const { filename = 'document', pipeline_instruction: question = '' } = job;
  const isFirst = suffix !== '.result.md' || (await claimName(job, sha256(question)));
  const end = isFirst ? suffix : `.${slugOf(question)}${suffix}`;
  return `${cut(filename, maxNameBytes - Buffer.byteLength(end))}${end}`;
}

/** Whether a source's plain name is this question's. The first to ask has it, for as long as jobs are kept. */
async function claimName(
  { key_id, drive_file_id = '' }: Named,
  question_sha256: string,
): Promise<boolean> {
  const claimed = await unlessConditionFails(
    dynamodb.send(
      new PutCommand({
        TableName: setting('JOBS_TABLE'),
        Item: {
          key_id,
          job_id: `answer_${sha256(drive_file_id)}`,
          question_sha256,
          expires_at: retentionEnd(),
        },
        ConditionExpression: 'attribute_not_exists(job_id) OR question_sha256 = :question',
        ExpressionAttributeValues: { ':question': question_sha256 },
      }),
    ),
  );
  return claimed !== undefined;
}

/** Returns a question's first words in letters, digits and hyphens, of any script, and the start of its hash. */
function slugOf(question: string): string {
  const words =
    question
      .normalize('NFKC')
      .toLowerCase()
      .match(/[\p{L}\p{M}\p{N}]+/gu) ?? [];
  let slug = cut(words[0] ?? '', maxSlugBytes);
  for (const word of words.slice(1)) {
    if (Buffer.byteLength(`${slug}-${word}`) > maxSlugBytes) break;
    slug += `-${word}`;
  }
  return [slug, sha256(question).slice(0, 6)].filter(Boolean).join('-');
}

/** Cuts a text to so many bytes, between characters. */
function cut(text: string, maxBytes: number): string {
  let bytes = 0;
  let end = 0;
  for (const character of text) {
    bytes += Buffer.byteLength(character);
    if (bytes > maxBytes) break;
    end += character.length;
  }
  return text.slice(0, end);
}

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
