import * as v from 'valibot';
import type { Feature } from './blocks.ts';
import { invalidParameter, TextractError } from './textract-error.ts';

/** What Textract takes of an image that is sent in the request itself. @see https://docs.aws.amazon.com/textract/latest/dg/limits-document.html */
const maxImageBytes = 5 * 1024 * 1024;

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
  if (document.Bytes.length > maxImageBytes) {
    throw new TextractError('DocumentTooLargeException', 'Document is too large: 5 MB at most');
  }
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
