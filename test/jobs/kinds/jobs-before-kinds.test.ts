import { describe, expect, it } from 'vitest';
import { asJob, kindOf, kinds } from '../../../shared/jobs/kinds/kinds.ts';
import type { StoredJob } from '../../support/worlds/stored-job.ts';

/** What every item of version 1.0 has. */
const written = {
  key_id: 'key_1',
  job_id: 'job_01a2b3c4-d5e6-7f80-8a9b-0c1d2e3f4a5b',
  status: 'processing',
  job_type: 'chat',
  model: 'gpt-4.1-mini',
  input_type: 'inline',
  priority: 10,
  retry_count: 0,
  max_retries: 3,
  created_at: '2026-11-20T15:04:05.123Z',
  lane: 'chat#0',
  ready_at: '2026-11-20T15:04:05.123Z',
  lease_id: '6d7f2c1e-9a4b-4c8d-8e5f-1a2b3c4d5e6f',
  lease_until: '2026-11-20T15:04:55.123Z',
} satisfies StoredJob;

const onDrive = { input_type: 'drive_file', drive_file_id: '1AbC', filename: 'a.pdf' } as const;
const fields = {
  extract: { require_evidence: false },
  extract_schema: '{"type":"object","properties":{"total":{"type":"number"}}}',
} as const;
const ocr = { job_type: 'ocr', model: 'textract-layout', lane: 'ocr#0' } as const;
const section = {
  job_id: 'part_01a2b3c4-d5e6-7f80-8a9b-0c1d2e3f4a5b_00051',
  parent_job_id: 'job_1',
};
const step = { chat_job_id: 'job_01a2b3c4-d5e6-7abc-9def-0123456789ab', children_total: 1 };

/** Jobs as version 1.0 wrote them, with what they are. */
const jobs: [string, Partial<StoredJob>, string, string | undefined][] = [
  ['a chat in its own messages', { messages_json: '[]' }, 'chat', undefined],
  ['a chat about a file of the drive', onDrive, 'chat', undefined],
  ['a chat about a file of its key', { input_type: 'file', file_id: 'file-1' }, 'chat', undefined],
  [
    'a batch',
    { input_type: 'file', file_id: 'file-1', endpoint: '/v1/responses' },
    'batch',
    undefined,
  ],
  ['images that are read', { ...ocr, messages_object: 'key_1/a' }, 'document', 'reading'],
  ['a document whose type shows later', { ...onDrive, job_type: 'auto' }, 'document', 'reading'],
  ['a document in sections', { ...onDrive, ...ocr, page_count: 120 }, 'document', 'sections'],
  ['a pipeline', { ...onDrive, pipeline: 'ocr_then_chat' }, 'document', 'reading'],
  [
    'a pipeline that is read',
    { ...onDrive, pipeline: 'ocr_then_chat', ...step },
    'document',
    'step',
  ],
  [
    'a long extraction whose pages are read',
    { ...onDrive, ...fields, page_count: 120, ...step },
    'document',
    'step',
  ],
  ['a section', { ...ocr, ...section, first_page: 51, last_page: 100 }, 'section', undefined],
  ['the chat step of a pipeline', { ...onDrive, document_object: 'key_1/a' }, 'answer', undefined],
  [
    'the step that takes fields',
    { ...onDrive, ...fields, document_object: 'key_1/a' },
    'extraction',
    undefined,
  ],
  [
    'a folder that is listed',
    { input_type: 'drive_folder', drive_folder_id: '1AbC', page_token: 'p2', lane: 'folder#0' },
    'folder',
    'listing',
  ],
  [
    'a folder whose files are made',
    { input_type: 'drive_folder', drive_folder_id: '1AbC', page_token: '', lane: 'folder#0' },
    'folder',
    'files',
  ],
];

describe('a job of version 1.0 that is', () => {
  it.each(jobs)('%s has a kind and a phase when it is read', (_, attributes, kind, phase) => {
    const item = { ...written, ...attributes };

    const job = asJob(item);

    expect(job).toMatchObject({ ...item, kind });
    expect(job.phase).toBe(phase);
    expect(kindOf(item).name).toBe(kind);
  });
});

it('keeps the kind and the phase that a job has', () => {
  const item = { ...written, ...onDrive, kind: 'document', phase: 'step', page_count: 120 };

  expect(asJob(item)).toMatchObject({ kind: 'document', phase: 'step' });
});

it('each kind is listed under its own name', () => {
  for (const [name, kind] of Object.entries(kinds)) expect(kind.name).toBe(name);
});
