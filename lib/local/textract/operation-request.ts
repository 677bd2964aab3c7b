import * as v from 'valibot';
import type { Feature } from './blocks.ts';
import { readImageHeader } from './image-header.ts';
import { invalidParameter, TextractError, unsupportedDocument } from './textract-error.ts';

/** The most that an image in the request itself may have. */
const mostBytes = 5 * 1024 * 1024;
const mostPixelsASide = 10_000;

const Bytes = v.pipe(
  v.string(),
  v.transform((base64) => Buffer.from(base64, 'base64')),
  v.minLength(1),
);
const Document = v.object({ Bytes });
const NoFeatures = v.optional(v.array(v.picklist(['LAYOUT', 'TABLES'])), []);
const DetectRequest = v.object({ Document, FeatureTypes: NoFeatures });
const AnalyzeRequest = v.object({
  Document,
  FeatureTypes: v.pipe(v.array(v.picklist(['LAYOUT', 'TABLES'])), v.nonEmpty()),
});

/** What a request asks for. */
export interface Operation {
  name: 'DetectDocumentText' | 'AnalyzeDocument';
  image: Uint8Array;
  features: Feature[];
}

/** Reads a request as Textract would; throws `TextractError`. */
export function readOperation(name: string, body: unknown): Operation {
  if (name !== 'DetectDocumentText' && name !== 'AnalyzeDocument') {
    throw new TextractError('UnknownOperationException', `Unknown operation ${name}`);
  }
  const request = parseJson(body);
  const schema = name === 'AnalyzeDocument' ? AnalyzeRequest : DetectRequest;
  const read = v.safeParse(schema, request);
  if (!read.success) throw invalidParameter(issueOf(read.issues));
  const { Document: document, FeatureTypes: features } = read.output;
  requireReadable(document.Bytes);
  return { name, image: document.Bytes, features };
}

function parseJson(body: unknown): unknown {
  try {
    return JSON.parse(String(body));
  } catch {
    throw new TextractError('SerializationException', 'The body is not JSON');
  }
}

const issueOf = ([issue]: [v.BaseIssue<unknown>, ...v.BaseIssue<unknown>[]]) =>
  `Request has invalid parameters: ${v.getDotPath(issue) ?? 'the body'}: ${issue.message.slice(0, 200)}`;

function requireReadable(image: Uint8Array): void {
  if (image.length > mostBytes) {
    throw new TextractError('DocumentTooLargeException', 'Document is too large: 5 MB at most');
  }
  const header = readImageHeader(image);
  if (!header) throw unsupportedDocument();
  const { width, height } = header;
  if (Math.max(width, height) > mostPixelsASide || Math.min(width, height) < 1) {
    throw new TextractError('BadDocumentException', `${width} × ${height} pixels are not read`);
  }
}
