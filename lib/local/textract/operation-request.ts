import * as v from 'valibot';
import type { Feature } from './blocks.ts';
import { invalidParameter, TextractError, unsupportedDocument } from './textract-error.ts';

/** What Textract takes of an image that is sent in the request itself. @see https://docs.aws.amazon.com/textract/latest/dg/limits-document.html */
const maxImageBytes = 5 * 1024 * 1024;
const maxSidePx = 10_000;

const Bytes = v.pipe(
  v.string(),
  v.transform((base64) => Buffer.from(base64, 'base64')),
  v.minLength(1),
);
const Document = v.object({ Bytes });
const Features = v.array(v.picklist(['LAYOUT', 'TABLES']));
const DetectRequest = v.object({ Document, FeatureTypes: v.optional(Features, []) });
const AnalyzeRequest = v.object({ Document, FeatureTypes: v.pipe(Features, v.nonEmpty()) });

/** What a request asks for. */
export interface OperationRequest {
  name: 'DetectDocumentText' | 'AnalyzeDocument';
  image: Uint8Array;
  features: Feature[];
}

/** Reads the JSON body of an operation's request. Throws `TextractError` for what Textract would refuse. */
export function readOperationRequest(name: string, body: unknown): OperationRequest {
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
  if (image.length > maxImageBytes) {
    throw new TextractError('DocumentTooLargeException', 'Document is too large: 5 MB at most');
  }
  const header = readImageHeader(image);
  if (!header) throw unsupportedDocument();
  const { width, height } = header;
  if (Math.max(width, height) > maxSidePx || Math.min(width, height) < 1) {
    throw new TextractError('BadDocumentException', `${width} × ${height} pixels are not read`);
  }
}

export interface ImageHeader {
  format: 'jpeg' | 'png';
  width: number;
  height: number;
}

/** Reads an image's format and size from its first bytes; undefined unless it is a JPEG or PNG. */
export function readImageHeader(bytes: Uint8Array): ImageHeader | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  try {
    if (view.getUint32(0) === 0x89504e47) {
      return { format: 'png', width: view.getUint32(16), height: view.getUint32(20) };
    }
    return view.getUint16(0) === 0xffd8 ? readJpegHeader(view) : undefined;
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/** Skips segments up to the one that begins a frame, which holds the size. */
function readJpegHeader(view: DataView): ImageHeader | undefined {
  let at = 2;
  for (;;) {
    const marker = view.getUint16(at);
    if (marker === 0xffff) at += 1;
    else if (isFrame(marker)) {
      return { format: 'jpeg', height: view.getUint16(at + 5), width: view.getUint16(at + 7) };
    } else if (marker <= 0xff00) return undefined;
    else at += 2 + view.getUint16(at + 2);
  }
}

/** Whether a marker is one of SOF0 to SOF15. Three of that range mean something else: DHT, JPG and DAC. */
const isFrame = (marker: number) =>
  marker >= 0xffc0 && marker <= 0xffcf && ![0xffc4, 0xffc8, 0xffcc].includes(marker);
