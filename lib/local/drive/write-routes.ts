import { rm } from 'node:fs/promises';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { badRequest } from './drive-error.ts';
import type { DriveFolder } from './drive-folder.ts';
import type { FileMetadata } from './file-metadata.ts';
import { describeFile, fileFields } from './file-resource.ts';
import { FileWriter } from './file-writer.ts';
import { readMultipart } from './multipart.ts';
import { type Body, readJson } from './request-body.ts';
import { ResumableUploads } from './resumable-uploads.ts';
import type { UploadedContent, UploadFolder } from './upload-folder.ts';

interface WriteQuery {
  fields?: string;
  addParents?: string;
  removeParents?: string;
  uploadType?: string;
  upload_id?: string;
}

type WriteRequest = FastifyRequest<{ Params: { fileId?: string }; Querystring: WriteQuery }>;

/** Adds the routes that write: files.create, files.update and files.delete, with every kind of upload. */
export function addWriteRoutes(
  app: FastifyInstance,
  folder: DriveFolder,
  uploads: UploadFolder,
): void {
  const routes = new WriteRoutes(folder, uploads);
  for (const path of ['/drive/v3/files', '/upload/drive/v3/files']) {
    const upload = path.startsWith('/upload');
    const write = (request: WriteRequest, reply: FastifyReply) =>
      upload ? routes.upload(request, reply) : routes.writeMetadata(request);
    app.post(path, write);
    app.patch(`${path}/:fileId`, write);
  }
  for (const path of ['/upload/drive/v3/files', '/upload/drive/v3/files/:fileId']) {
    app.put(path, (request: WriteRequest, reply) => routes.resume(request, reply));
  }
  app.delete('/drive/v3/files/:fileId', async ({ params }: WriteRequest, reply) => {
    await routes.writer.remove(params.fileId ?? '');
    return reply.code(204).send();
  });
}

class WriteRoutes {
  readonly writer: FileWriter;
  private readonly folder: DriveFolder;
  private readonly uploads: UploadFolder;
  private readonly resumable: ResumableUploads;

  constructor(folder: DriveFolder, uploads: UploadFolder) {
    this.writer = new FileWriter(folder, uploads);
    this.folder = folder;
    this.uploads = uploads;
    this.resumable = new ResumableUploads(uploads);
  }

  async writeMetadata(request: WriteRequest): Promise<unknown> {
    fileFields(request.query.fields);
    const metadata = await readJson<FileMetadata>(request.body);
    return this.describe(await this.write(request, metadata), request);
  }

  async upload(request: WriteRequest, reply: FastifyReply): Promise<unknown> {
    const { query, headers } = request;
    fileFields(query.fields);
    const body = request.body as Body;
    if (query.uploadType === 'resumable') return this.startResumable(request, reply);
    if (query.uploadType === 'media') {
      return this.receive(request, {}, body ?? [], headers['content-type']);
    }
    if (query.uploadType !== 'multipart') throw badRequest('Unsupported uploadType.');
    const parts = await readMultipart<FileMetadata>(body, headers['content-type']);
    return this.receive(request, parts.metadata, parts.content, parts.mimeType);
  }

  /** Takes a chunk of a resumable upload. */
  async resume(request: WriteRequest, reply: FastifyReply): Promise<unknown> {
    const { query, headers } = request;
    const body = (request.body as Body) ?? [];
    const range = headers['content-range'];
    const progress = await this.resumable.put(query.upload_id ?? '', range, body);
    if ('fileId' in progress) return this.describe(progress.fileId, request);
    reply.raw.statusMessage = 'Resume Incomplete';
    if (progress.received > 0) reply.header('range', `bytes=0-${progress.received - 1}`);
    return reply.code(308).send();
  }

  private async startResumable(request: WriteRequest, reply: FastifyReply): Promise<unknown> {
    const { headers, protocol, host, url } = request;
    const metadata = await readJson<FileMetadata>(request.body);
    this.check(request, metadata);
    const mimeType = headers['x-upload-content-type'];
    const length = headers['x-upload-content-length'];
    const id = await this.resumable.start(
      (content) => this.write(request, metadata, content),
      mimeType === undefined ? undefined : String(mimeType),
      length === undefined ? undefined : Number(length),
    );
    return reply.header('location', `${protocol}://${host}${url}&upload_id=${id}`).send();
  }

  private async receive(
    request: WriteRequest,
    metadata: FileMetadata,
    source: AsyncIterable<Buffer> | Buffer[],
    mimeType: string | undefined,
  ): Promise<unknown> {
    this.check(request, metadata);
    const content = await this.uploads.receive(source, mimeType);
    try {
      return await this.describe(await this.write(request, metadata, content), request);
    } finally {
      await rm(content.path, { force: true });
    }
  }

  private check({ params: { fileId }, query }: WriteRequest, metadata: FileMetadata): void {
    if (fileId) this.writer.checkChange(fileId, { metadata, ...query });
    else this.writer.checkNew(metadata);
  }

  private async write(
    { params: { fileId }, query }: WriteRequest,
    metadata: FileMetadata,
    content?: UploadedContent,
  ): Promise<string> {
    if (!fileId) return this.writer.create(metadata, content);
    await this.writer.change(fileId, { metadata, ...query }, content);
    return fileId;
  }

  private describe(id: string, { query }: WriteRequest): Promise<unknown> {
    return describeFile(this.folder, this.folder.get(id), fileFields(query.fields));
  }
}
