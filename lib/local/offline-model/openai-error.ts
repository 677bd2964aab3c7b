/** An error as OpenAI's API answers it. @see https://platform.openai.com/docs/guides/error-codes */
export class OpenAIError extends Error {
  override readonly name = 'OpenAIError';
  readonly statusCode: number;
  readonly body: {
    error: { message: string; type: string; param: string | null; code: string | null };
  };

  constructor(
    statusCode: number,
    message: string,
    { param = null, code = null }: { param?: string | null; code?: string | null } = {},
  ) {
    super(message);
    this.statusCode = statusCode;
    const type = statusCode < 500 ? 'invalid_request_error' : 'server_error';
    this.body = { error: { message, type, param, code } };
  }
}
