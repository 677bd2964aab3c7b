/** An error as Textract answers it. */
export class TextractError extends Error {
  readonly type: string;
  readonly statusCode: number;

  constructor(type: string, message: string, statusCode = 400) {
    super(message);
    this.name = 'TextractError';
    this.type = type;
    this.statusCode = statusCode;
  }
}

/** The bytes are no image that is read. */
export const unsupportedDocument = () =>
  new TextractError('UnsupportedDocumentException', 'Request has unsupported document format');

/** The request breaks a rule. */
export const invalidParameter = (message: string) =>
  new TextractError('InvalidParameterException', message);
