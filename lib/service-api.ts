import type { Duration } from 'aws-cdk-lib';
import {
  AccessLogField,
  AccessLogFormat,
  EndpointType,
  type IAuthorizer,
  LambdaIntegration,
  LogGroupLogDestination,
  MethodLoggingLevel,
  ResponseTransferMode,
  ResponseType,
  RestApi,
} from 'aws-cdk-lib/aws-apigateway';
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import type { FunctionLogs } from './service-function.ts';

export interface ServiceApiProps {
  readonly stageName: string;
  readonly throttleRate: number;
  readonly throttleBurst: number;
  readonly authorizer: IAuthorizer;
  readonly logs: FunctionLogs;
}

/** The gateway: every route, who may take it, and what it answers before a function is asked. */
export class ServiceApi extends Construct {
  readonly url: string;
  private readonly api: RestApi;
  private readonly authorizer: IAuthorizer;

  constructor(scope: Construct, id: string, props: ServiceApiProps) {
    super(scope, id);
    const { stageName, throttleRate, throttleBurst, authorizer, logs } = props;
    this.authorizer = authorizer;
    this.api = new RestApi(this, 'api', {
      restApiName: `Quire ${stageName}`,
      endpointTypes: [EndpointType.REGIONAL],
      cloudWatchRole: true,
      deployOptions: {
        stageName,
        throttlingRateLimit: throttleRate,
        throttlingBurstLimit: throttleBurst,
        metricsEnabled: true,
        tracingEnabled: logs.tracing,
        loggingLevel: MethodLoggingLevel.OFF,
        dataTraceEnabled: false,
        accessLogDestination: new LogGroupLogDestination(new LogGroup(this, 'access-logs', logs)),
        accessLogFormat: accessLogFormat(),
      },
    });
    this.url = this.api.urlForPath().replace(/\/$/, '');
    this.addGatewayResponses();
  }

  /** Routes a method to a function, for callers with a valid API key. */
  route(method: string, path: string, fn: LambdaFunction): void {
    this.api.root.resourceForPath(path).addMethod(method, new LambdaIntegration(fn), {
      authorizer: this.authorizer,
    });
  }

  /** Routes a method to a function that streams its answer, for at most `timeout`. */
  routeStreamed(method: string, path: string, fn: LambdaFunction, timeout: Duration): void {
    const integration = new LambdaIntegration(fn, {
      responseTransferMode: ResponseTransferMode.STREAM,
      timeout,
    });
    this.api.root
      .resourceForPath(path)
      .addMethod(method, integration, { authorizer: this.authorizer });
  }

  /** Routes a method to a function, for everyone. */
  routeOpen(method: string, path: string, fn: LambdaFunction): void {
    this.api.root.resourceForPath(path).addMethod(method, new LambdaIntegration(fn));
  }

  private addGatewayResponses(): void {
    for (const { type, statusCode, message, errorType, code } of gatewayAnswers) {
      this.api.addGatewayResponse(type.responseType, {
        type,
        ...(statusCode && { statusCode: String(statusCode) }),
        ...(statusCode === 401 && { responseHeaders: { 'WWW-Authenticate': "'Bearer'" } }),
        templates: {
          'application/json': JSON.stringify({
            detail: message,
            error: { message, type: errorType, param: null, code },
          }),
        },
      });
    }
  }
}

const invalidApiKey = {
  statusCode: 401,
  message: 'Missing or invalid API key. Send it as: Authorization: Bearer sk-...',
  errorType: 'authentication_error',
  code: 'invalid_api_key',
};
const noSuchRoute = {
  statusCode: 404,
  message: 'There is no such route or method.',
  errorType: 'invalid_request_error',
  code: 'not_found',
};

/** What the gateway itself answers: for both kinds of client, `detail` and the chat-completions `error`. */
const gatewayAnswers = [
  { type: ResponseType.UNAUTHORIZED, ...invalidApiKey },
  { type: ResponseType.ACCESS_DENIED, ...invalidApiKey },
  { type: ResponseType.RESOURCE_NOT_FOUND, ...noSuchRoute },
  // An unknown route is taken for one that wants a signature; a bearer token is then a bad one.
  { type: ResponseType.MISSING_AUTHENTICATION_TOKEN, ...noSuchRoute },
  { type: ResponseType.INVALID_SIGNATURE, ...noSuchRoute },
  {
    type: ResponseType.REQUEST_TOO_LARGE,
    statusCode: 413,
    message: 'The request is larger than 6 MB.',
    errorType: 'invalid_request_error',
    code: 'request_too_large',
  },
  {
    type: ResponseType.THROTTLED,
    statusCode: 429,
    message: 'The service is receiving too many requests. Try again shortly.',
    errorType: 'rate_limit_error',
    code: 'rate_limit_exceeded',
  },
  {
    type: ResponseType.DEFAULT_4XX,
    statusCode: undefined,
    message: 'The gateway could not read this request.',
    errorType: 'invalid_request_error',
    code: 'bad_request',
  },
  {
    type: ResponseType.DEFAULT_5XX,
    statusCode: undefined,
    message:
      'Something went wrong on our side. Quote the header x-amzn-requestid when you report it.',
    errorType: 'server_error',
    code: 'internal_error',
  },
];

/** One JSON line a request: no header, no query, no body. */
function accessLogFormat(): AccessLogFormat {
  return AccessLogFormat.custom(
    JSON.stringify({
      request_id: AccessLogField.contextRequestId(),
      key_id: AccessLogField.contextAuthorizer('keyId'),
      method: AccessLogField.contextHttpMethod(),
      route: AccessLogField.contextResourcePath(),
      status: AccessLogField.contextStatus(),
      error: AccessLogField.contextErrorResponseType(),
      latency_ms: AccessLogField.contextResponseLatency(),
      integration_latency_ms: AccessLogField.contextIntegrationLatency(),
    }),
  );
}
