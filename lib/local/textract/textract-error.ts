/** An error as Textract answers it. `type` is the name of the exception in AWS's API. */
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

/** Makes the error for bytes that are no JPEG or PNG. */
export const unsupportedDocument = () =>
  new TextractError('UnsupportedDocumentException', 'Request has unsupported document format');

/** Makes the error for a request that breaks a rule. */
export const invalidParameter = (message: string) =>
  new TextractError('InvalidParameterException', message);
