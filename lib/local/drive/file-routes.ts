import type { FastifyInstance } from 'fastify';
import { sendExport, sendMedia } from './downloads.ts';
import { invalidParameter } from './drive-error.ts';
import type { DriveFolder } from './drive-folder.ts';
import { newFileId } from './drive-index.ts';
import { type ListParameters, listFiles } from './file-list.ts';
import { describeFile, fileFields } from './file-resource.ts';
import { FullTexts } from './full-text.ts';

/** Adds the routes that read: files.list, files.get, files.export and files.generateIds. */
export function addFileRoutes(app: FastifyInstance, folder: DriveFolder): void {
  const texts = new FullTexts(folder);
  app.get<{ Querystring: ListParameters }>('/drive/v3/files', ({ query }) =>
    listFiles(folder, texts, query),
  );

  app.get<{ Querystring: { count?: string } }>('/drive/v3/files/generateIds', ({ query }) => {
    const count = Number(query.count ?? 10);
    if (!(count >= 1 && count <= 1000)) throw invalidParameter('count');
    const ids = Array.from({ length: count }, newFileId);
    return { kind: 'drive#generatedIds', space: 'drive', ids };
  });

  app.get<{ Params: { fileId: string }; Querystring: { alt?: string; fields?: string } }>(
    '/drive/v3/files/:fileId',
    ({ params: { fileId }, query: { alt, fields }, headers }, reply) => {
      const entry = folder.get(fileId);
      if (alt === 'media') return sendMedia(folder, entry, headers.range, reply);
      return describeFile(folder, entry, fileFields(fields));
    },
  );

  app.get<{ Params: { fileId: string }; Querystring: { mimeType?: string } }>(
    '/drive/v3/files/:fileId/export',
    ({ params: { fileId }, query: { mimeType } }, reply) =>
      sendExport(folder, folder.get(fileId), mimeType, reply),
  );
}
