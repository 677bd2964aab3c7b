import * as v from 'valibot';
import { DeletedFile } from '../files/delete-file.ts';
import { FileObject } from '../files/file.ts';
import { FileList, FileListQuery } from '../files/list-files.ts';
import * as requests from '../files/requests.ts';
import { completionErrorAnswer } from './error-answers.ts';
import { component, content, described, json, operation, parameters, words } from './operation.ts';

const expiry = { anchor: 'From when on.', seconds: 'After how many seconds: an hour to 30 days.' };

export const components = {
  ...described({
    FileForm: requests.FileForm,
    Expiry: requests.Expiry,
    FileObject,
    FileList,
    DeletedFile,
  }),
  FormExpiry: {
    ...component(requests.FormExpiry, words.FormExpiry),
    // A form has it as the field `expires_after[seconds]`, a text that is read as a number.
    rules: {
      properties: {
        anchor: { const: 'created_at', description: expiry.anchor },
        seconds: {
          type: 'integer' as const,
          minimum: requests.lifetime[0],
          maximum: requests.lifetime[1],
          description: expiry.seconds,
        },
      },
    },
  },
};

const id = 'file-0199b3c1d2e37f40a1b2c3d4e5f60718';
const example = {
  id,
  object: 'file' as const,
  bytes: 140,
  created_at: 1_795_521_600,
  expires_at: 1_798_113_600,
  filename: 'requests.jsonl',
  purpose: 'batch' as const,
  status: 'processed' as const,
  status_details: null,
};
const path = '/v1/files/{file_id}';
const ofFile = parameters('path', requests.FilePath, { file_id: 'The file’s id.' });

const noSuchFile = completionErrorAnswer(
  'The key has no such file: it never was, it has expired or is deleted, or it is another’s.',
  `No such File object: ${id}`,
  { param: 'id', code: 'not_found' },
);

export const operations = [
  operation('post /v1/files', 'createFile', 'Files', {
    summary: 'Upload a file',
    description:
      'Keeps a file of up to 4 MB: the gateway takes no larger body. Larger files go through `POST /v1/uploads`. A key’s files have a most in number and bytes.',
    form: true,
    body: content(requests.FileForm, {
      'A file of requests': {
        file: '{"custom_id":"1","method":"POST","url":"/v1/chat/completions","body":{"model":"gpt-4.1","messages":[{"role":"user","content":"Hi"}]}}\n',
        purpose: 'batch',
        expires_after: { anchor: 'created_at', seconds: 3600 },
      } as never,
    }),
    answers: {
      200: json('The file.', FileObject, { 'A file of requests': example }),
      400: completionErrorAnswer(
        'Something is wrong with the form, or the key’s quota is spent.',
        'purpose: Field required',
        { param: 'purpose' },
      ),
    },
  }),
  operation('get /v1/files', 'listFiles', 'Files', {
    summary: 'List your files',
    description: 'Your key’s files, the newest first.',
    parameters: parameters('query', FileListQuery, {
      purpose: 'Only those for this.',
      limit: 'The most of a page; 10,000 by default.',
      order: '`asc` for the oldest first.',
      after: { description: '`last_id` of the page before.', example: id },
    }),
    answers: {
      200: json('A page of files.', FileList, {
        'The last page': {
          object: 'list',
          data: [example],
          first_id: id,
          last_id: id,
          has_more: false,
        },
      }),
      400: completionErrorAnswer(
        'Something is wrong with the query.',
        'limit: Input should be less than or equal to 10000',
        { param: 'limit' },
      ),
    },
  }),
  operation(`get ${path}`, 'getFile', 'Files', {
    parameters: ofFile,
    summary: 'Read what a file is',
    description: 'A file without its bytes.',
    answers: { 200: json('The file.', FileObject, { 'A file': example }), 404: noSuchFile },
  }),
  operation(`delete ${path}`, 'deleteFile', 'Files', {
    parameters: ofFile,
    summary: 'Delete a file',
    description:
      'From then on nobody can read it, and it counts no more. Who asks again within some minutes is told the same.',
    answers: {
      200: json('It is deleted.', DeletedFile, { 'A file': { id, object: 'file', deleted: true } }),
      404: noSuchFile,
    },
  }),
  operation(`get ${path}/content`, 'getFileContent', 'Files', {
    summary: 'Read a file',
    description:
      'Its bytes, as a stream of 15 minutes at most. A download that broke off goes on with a `Range`.',
    parameters: [
      ofFile,
      parameters('header', requests.RangeHeader, {
        range: {
          name: 'Range',
          description: 'Which bytes: `bytes=1000-`, or `bytes=1000-1999`.',
          example: 'bytes=0-',
        },
      }),
    ],
    answers: {
      200: bytesAnswer('The whole file.'),
      206: bytesAnswer('The bytes that were asked for.'),
      404: noSuchFile,
      416: completionErrorAnswer(
        'The file has no such bytes.',
        'The file has 140 bytes: there are none in the range that was asked for.',
        { param: 'range', code: 'range_not_satisfiable' },
      ),
    },
  }),
];

function bytesAnswer(description: string) {
  return { description, content: { 'application/octet-stream': content(v.string()) } };
}
