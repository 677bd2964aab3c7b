import { text } from 'node:stream/consumers';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { badRequest } from './drive-error.ts';
import type { DriveFolder } from './drive-folder.ts';
import { describeFile, readFields } from './file-resource.ts';
import { type FileMetadata, FileWriter } from './file-writer.ts';
import type { Body, ResumableUploads } from './resumable-uploads.ts';

interface WriteQuery {
  fields?: string;
  addParents?: string;
  uploadType?: string;
  upload_id?: string;
}

type WriteRequest = FastifyRequest<{ Params: { fileId?: string }; Querystring: WriteQuery }>;

/** Adds the routes that write: files.create and files.update by resumable uploads, and files.update of properties. */
export function addWriteRoutes(
  app: FastifyInstance,
  folder: DriveFolder,
  resumable: ResumableUploads,
): void {
  const writer = new FileWriter(folder);
  const describe = (id: string, { query }: WriteRequest) =>
    describeFile(folder, folder.get(id), readFields(query.fields));

  async function writeMetadata(request: WriteRequest): Promise<unknown> {
    const { fileId = '' } = request.params;
    writer.change(fileId, await readMetadata(request));
    return describe(fileId, request);
  }

  /** Begins a resumable upload. */
  async function start(request: WriteRequest, reply: FastifyReply): Promise<unknown> {
    const { params, query, protocol, host, url } = request;
    if (query.uploadType !== 'resumable') throw badRequest('Unsupported uploadType.');
    const metadata = await readMetadata(request);
    const { fileId } = params;
    if (fileId) writer.checkChange(fileId, metadata);
    else writer.checkNew(metadata);
    const id = await resumable.start((uploaded) => {
      if (!fileId) return writer.create(metadata, uploaded);
      writer.change(fileId, metadata, uploaded);
      return fileId;
    });
    return reply.header('location', `${protocol}://${host}${url}&upload_id=${id}`).send();
  }

  /** Takes a chunk of a resumable upload. */
  async function resume(request: WriteRequest, reply: FastifyReply): Promise<unknown> {
    const { query, headers, body } = request;
    const { upload_id = '' } = query;
    const progress = await resumable.put(upload_id, headers['content-range'], body as Body);
    if ('fileId' in progress) return describe(progress.fileId, request);
    reply.raw.statusMessage = 'Resume Incomplete';
    if (progress.received > 0) reply.header('range', `bytes=0-${progress.received - 1}`);
    return reply.code(308).send();
  }

  const uploadPath = '/upload/drive/v3/files';
  app.patch('/drive/v3/files/:fileId', writeMetadata);
  app.post(uploadPath, start);
  app.patch(`${uploadPath}/:fileId`, start);
  app.put(uploadPath, resume);
  app.put(`${uploadPath}/:fileId`, resume);
}

/** Reads the metadata of a file; an empty body has none. Throws Drive's 400. */
async function readMetadata({ query, body }: WriteRequest): Promise<FileMetadata> {
  readFields(query.fields);
  if (query.addParents) throw badRequest('The service moves no file.');
  const json = body ? await text(body as NonNullable<Body>) : '';
  try {
    return JSON.parse(json || '{}');
  } catch {
    throw badRequest('The body is not JSON.');
  }
}
