import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { badRequest, DriveError } from './drive-error.ts';
import type { DriveFolder } from './drive-folder.ts';
import type { FileMetadata } from './file-metadata.ts';
import { describeFile, fileFields } from './file-resource.ts';
import { FileWriter } from './file-writer.ts';
import { ResumableUploads } from './resumable-uploads.ts';
import type { UploadFolder } from './upload-folder.ts';

interface WriteQuery {
  fields?: string;
  addParents?: string;
  removeParents?: string;
  uploadType?: string;
  upload_id?: string;
}

type WriteRequest = FastifyRequest<{ Params: { fileId?: string }; Querystring: WriteQuery }>;

/** Adds the routes that write: files.create and files.update by resumable uploads, and files.update of metadata. */
export function addWriteRoutes(
  app: FastifyInstance,
  folder: DriveFolder,
  uploads: UploadFolder,
): void {
  const writer = new FileWriter(folder);
  const resumable = new ResumableUploads(uploads);
  const describe = (id: string, { query }: WriteRequest) =>
    describeFile(folder, folder.get(id), fileFields(query.fields));

  async function writeMetadata(request: WriteRequest): Promise<unknown> {
    const { params, query } = request;
    fileFields(query.fields);
    const metadata = await readJson<FileMetadata>(request.body);
    await writer.change(params.fileId ?? '', { metadata, ...query });
    return describe(params.fileId ?? '', request);
  }

  /** Begins a resumable upload. */
  async function start(request: WriteRequest, reply: FastifyReply): Promise<unknown> {
    const { params, query, headers, protocol, host, url } = request;
    fileFields(query.fields);
    if (query.uploadType !== 'resumable') throw badRequest('Unsupported uploadType.');
    const metadata = await readJson<FileMetadata>(request.body);
    const { fileId } = params;
    if (fileId) writer.checkChange(fileId, { metadata, ...query });
    else writer.checkNew(metadata);
    const mimeType = headers['x-upload-content-type'];
    const length = headers['x-upload-content-length'];
    const id = await resumable.start(
      async (content) => {
        if (!fileId) return writer.create(metadata, content);
        await writer.change(fileId, { metadata, ...query }, content);
        return fileId;
      },
      mimeType === undefined ? undefined : String(mimeType),
      length === undefined ? undefined : Number(length),
    );
    return reply.header('location', `${protocol}://${host}${url}&upload_id=${id}`).send();
  }

  /** Takes a chunk of a resumable upload. */
  async function resume(request: WriteRequest, reply: FastifyReply): Promise<unknown> {
    const { query, headers } = request;
    const body = (request.body as Body) ?? [];
    const progress = await resumable.put(query.upload_id ?? '', headers['content-range'], body);
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

const maxJsonBytes = 1024 * 1024;

/** A request's body as it comes; undefined if the request has none. */
type Body = AsyncIterable<Buffer> | undefined;

/** Reads a JSON body; one that is absent or empty is an empty object. Throws Drive's 400 or 413. */
async function readJson<T>(body: unknown): Promise<T> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of (body as Body) ?? []) {
    bytes += chunk.length;
    if (bytes > maxJsonBytes) {
      throw new DriveError(413, 'uploadTooLarge', 'Request Entity Too Large');
    }
    chunks.push(chunk);
  }
  if (bytes === 0) return {} as T;
  try {
    return JSON.parse(Buffer.concat(chunks).toString());
  } catch {
    throw new DriveError(400, 'parseError', 'Parse Error');
  }
}
