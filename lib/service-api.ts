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
import type { GatewayError, GatewayErrors } from '../shared/http/gateway-errors.ts';
import type { FunctionLogs } from './service-function.ts';

export interface ServiceApiProps {
  readonly stageName: string;
  readonly throttleRate: number;
  readonly throttleBurst: number;
  readonly authorizer: IAuthorizer;
  readonly errors: GatewayErrors;
  readonly logs: FunctionLogs;
}

/** The gateway: its routes, who may call them, and the errors it sends before a function is called. */
export class ServiceApi extends Construct {
  readonly url: string;
  private readonly api: RestApi;
  private readonly authorizer: IAuthorizer;

  constructor(scope: Construct, id: string, props: ServiceApiProps) {
    super(scope, id);
    const { stageName, throttleRate, throttleBurst, authorizer, errors, logs } = props;
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
    this.addGatewayResponses(errors);
  }

  /** Routes a method to a function, for callers with a valid API key. */
  route(method: string, path: string, fn: LambdaFunction): void {
    this.api.root.resourceForPath(path).addMethod(method, new LambdaIntegration(fn), {
      authorizer: this.authorizer,
    });
  }

  /** Routes a method to a function that streams its answer, for at most `timeout`. */
  routeStreamed(method: string, path: string, fn: LambdaFunction, timeout: Duration): void {
    this.api.root
      .resourceForPath(path)
      .addMethod(method, streamed(fn, timeout), { authorizer: this.authorizer });
  }

  /** Routes a method to a function, for everyone. */
  routeOpen(method: string, path: string, fn: LambdaFunction): void {
    this.api.root.resourceForPath(path).addMethod(method, new LambdaIntegration(fn));
  }

  /** Routes a method to a function that streams its answer, for everyone. */
  routeOpenStreamed(method: string, path: string, fn: LambdaFunction, timeout: Duration): void {
    this.api.root.resourceForPath(path).addMethod(method, streamed(fn, timeout));
  }

  private addGatewayResponses(errors: GatewayErrors): void {
    const responses: [ResponseType, GatewayError][] = [
      [ResponseType.UNAUTHORIZED, errors.invalidApiKey],
      [ResponseType.ACCESS_DENIED, errors.invalidApiKey],
      [ResponseType.RESOURCE_NOT_FOUND, errors.noSuchRoute],
      // The gateway takes an unknown route for one that wants an AWS signature, which a bearer token is not.
      [ResponseType.MISSING_AUTHENTICATION_TOKEN, errors.noSuchRoute],
      [ResponseType.INVALID_SIGNATURE, errors.noSuchRoute],
      [ResponseType.REQUEST_TOO_LARGE, errors.requestTooLarge],
      [ResponseType.THROTTLED, errors.throttled],
      [ResponseType.DEFAULT_4XX, errors.badRequest],
      [ResponseType.DEFAULT_5XX, errors.internalError],
    ];
    for (const [type, { statusCode, body }] of responses) {
      this.api.addGatewayResponse(type.responseType, {
        type,
        ...(statusCode && { statusCode: String(statusCode) }),
        ...(statusCode === 401 && { responseHeaders: { 'WWW-Authenticate': "'Bearer'" } }),
        templates: { 'application/json': JSON.stringify(body) },
      });
    }
  }
}

const streamed = (fn: LambdaFunction, timeout: Duration) =>
  new LambdaIntegration(fn, { responseTransferMode: ResponseTransferMode.STREAM, timeout });

/** One line of JSON for each request, without its headers, query and body. */
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
