import { CompletionRequest, PartForm, UploadPath, UploadRequest } from '../files/requests.ts';
import { UploadObject } from '../files/upload.ts';
import { UploadPart } from '../files/upload-part.ts';
import { completionErrorAnswer } from './error-answers.ts';
import { content, described, json, operation, parameters } from './operation.ts';

export const components = described({
  UploadRequest,
  UploadObject,
  PartForm,
  UploadPart,
  CompletionOfUpload: CompletionRequest,
});

const id = 'upload_0199b3c1d2e37f40a1b2c3d4e5f60718';
const partId = 'part_0199b3c1d2e37f40a1b2c3d4e5f60719';
const times = { created_at: 1_795_521_600, expires_at: 1_795_525_200 };
const pending = {
  id,
  object: 'upload' as const,
  bytes: 200_000_000,
  ...times,
  filename: 'requests.jsonl',
  purpose: 'batch' as const,
  status: 'pending' as const,
  file: null,
};
const file = {
  id: 'file-0199b3c1d2e37f40a1b2c3d4e5f60720',
  object: 'file' as const,
  bytes: 200_000_000,
  created_at: 1_795_521_660,
  expires_at: 1_798_113_660,
  filename: 'requests.jsonl',
  purpose: 'batch' as const,
  status: 'processed' as const,
  status_details: null,
};
const path = '/v1/uploads/{upload_id}';
const ofUpload = parameters('path', UploadPath, { upload_id: 'The upload’s id.' });
const noSuchUpload = completionErrorAnswer(
  'The key has no such upload.',
  `No such Upload object: ${id}`,
  { param: 'upload_id', code: 'not_found' },
);
const notPending = (description: string) =>
  completionErrorAnswer(
    description,
    `Upload ${id} is completed: it takes no more parts, and can't be completed or cancelled.`,
    { param: 'upload_id', code: 'invalid_upload_status' },
  );

export const operations = [
  operation('post /v1/uploads', 'createUpload', 'Files', {
    summary: 'Begin an upload',
    description:
      'For a file of more than 4 MB: send its parts within an hour, several at a time if you like, then complete it.',
    body: content(UploadRequest, {
      'A file of requests': {
        filename: 'requests.jsonl',
        purpose: 'batch',
        bytes: 200_000_000,
        mime_type: 'application/jsonl',
      },
    }),
    answers: {
      200: json('The upload.', UploadObject, { 'An upload': pending }),
      400: completionErrorAnswer(
        'Something is wrong with the request, or the quota is spent.',
        'bytes: Field required',
        { param: 'bytes' },
      ),
    },
  }),
  operation(`post ${path}/parts`, 'addUploadPart', 'Files', {
    parameters: ofUpload,
    summary: 'Upload a part',
    description: 'Parts have 4,194,304 bytes at most, and no least; 10,000 of them make a file.',
    form: true,
    body: content(PartForm, { 'A part': { data: 'some of the bytes' } as never }),
    answers: {
      200: json('The part is stored.', UploadPart, {
        'A part': {
          id: partId,
          object: 'upload.part',
          created_at: times.created_at,
          upload_id: id,
        },
      }),
      400: notPending('The upload takes no parts, or no more.'),
      404: noSuchUpload,
    },
  }),
  operation(`post ${path}/complete`, 'completeUpload', 'Files', {
    parameters: ofUpload,
    summary: 'Complete an upload',
    description:
      'Makes a file of the parts that are named. Who asks for the same again is answered the same.',
    body: content(CompletionRequest, { 'One part': { part_ids: [partId] } }),
    answers: {
      200: json('The upload, with its file.', UploadObject, {
        'An upload': { ...pending, status: 'completed', file },
      }),
      400: completionErrorAnswer(
        'The parts don’t make the file, or the upload has ended.',
        `Upload ${id} has no part ${partId}.`,
        { param: 'part_ids', code: 'invalid_part_ids' },
      ),
      404: noSuchUpload,
    },
  }),
  operation(`post ${path}/cancel`, 'cancelUpload', 'Files', {
    parameters: ofUpload,
    summary: 'Cancel an upload',
    description: 'What was sent for it goes, and it counts no more.',
    answers: {
      200: json('The upload.', UploadObject, { 'An upload': { ...pending, status: 'cancelled' } }),
      400: notPending('The upload has ended otherwise.'),
      404: noSuchUpload,
    },
  }),
];
