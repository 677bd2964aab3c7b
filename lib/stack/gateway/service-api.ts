import { Duration, Lazy, RemovalPolicy, Validations } from 'aws-cdk-lib';
import * as apigateway from 'aws-cdk-lib/aws-apigateway';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import type { GatewayError, GatewayErrors } from '../../../shared/http/gateway-errors.ts';
import { ServiceAlarms } from '../alarms/service-alarms.ts';
import { serviceMetric } from '../alarms/service-metric.ts';
import { conventionsOf } from '../base/conventions.ts';
import { ServiceFunction, type ServiceFunctionProps } from '../base/service-function.ts';
import { type RouteKind, requestRate } from '../settings/request-rates.ts';
import { addPreflight, errorHeaders } from './cors.ts';
import { CustomDomain } from './custom-domain.ts';
import { GatewayRole } from './gateway-role.ts';
import { WebAcl } from './web-acl.ts';

/** What a construct of routes takes. */
export interface RoutesProps {
  readonly api: ServiceApi;
}

/** What the function of a route has: 25 seconds, or for a streamed answer as many minutes as the gateway allows. */
interface EndpointProps extends Partial<Omit<ServiceFunctionProps, 'description'>> {
  readonly kind?: RouteKind;
  readonly isStreamed?: boolean;
}

/** The longest that the gateway allows for a streamed answer. */
export const maxAnswerTime = Duration.minutes(15);

export interface ServiceApiProps {
  readonly stageName: string;
  /** How many functions of the account may run at once. */
  readonly concurrency: number;
  readonly requestsPerSecond?: number | undefined;
  readonly authorizer: apigateway.IAuthorizer;
  /** The same for routes whose callers may send their key as `x-api-key` too. */
  readonly anyHeaderAuthorizer: apigateway.IAuthorizer;
  /** The origins whose pages may call the API; `*` for any. */
  readonly corsOrigins: readonly string[];
  readonly errors: GatewayErrors;
  /** Whether to set the role by which API Gateway writes its logs: a region has one, for all that is in it. */
  readonly setsAccount: boolean;
  /** The most requests a minute of one address, of which a web ACL sees to it; there is none without. */
  readonly waf: number | undefined;
  /** A name of the operator's own for it, and the certificate for that name. */
  readonly domain: { readonly name: string; readonly certificateArn: string } | undefined;
}

/** The gateway: its routes, who may call them, and the errors it sends before a function is called. */
export class ServiceApi extends Construct {
  readonly url: string;
  private readonly api: apigateway.RestApi;
  private readonly invoker: GatewayRole;
  private readonly authorizer: apigateway.IAuthorizer;
  private readonly anyHeaderAuthorizer: apigateway.IAuthorizer;
  private readonly corsOrigins: readonly string[];
  private readonly paths = new Set<string>();
  private readonly concurrency: number;
  private readonly requestsPerSecond: number | undefined;
  private readonly methodSettings: apigateway.CfnStage.MethodSettingProperty[] = [];

  constructor(scope: Construct, id: string, props: ServiceApiProps) {
    super(scope, id);
    const { stageName, concurrency, authorizer, errors, setsAccount } = props;
    const { logs, tracing } = conventionsOf(this);
    this.authorizer = authorizer;
    this.anyHeaderAuthorizer = props.anyHeaderAuthorizer;
    this.corsOrigins = props.corsOrigins;
    this.concurrency = concurrency;
    this.requestsPerSecond = props.requestsPerSecond;
    this.api = new apigateway.RestApi(this, 'api', {
      restApiName: `Quire ${stageName}`,
      endpointTypes: [apigateway.EndpointType.REGIONAL],
      // Functions get such a body in base64, and every other as the text that it is.
      binaryMediaTypes: ['multipart/form-data'],
      cloudWatchRole: setsAccount,
      ...(setsAccount && { cloudWatchRoleRemovalPolicy: RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE }),
      deployOptions: {
        stageName,
        tracingEnabled: tracing,
        accessLogDestination: new apigateway.LogGroupLogDestination(
          new LogGroup(this, 'access-logs', logs),
        ),
        accessLogFormat: accessLogFormat(),
      },
    });
    this.invoker = new GatewayRole(this, 'invoker');
    const { node } = this.api;
    Object.assign(node.defaultChild as apigateway.CfnRestApi, leastTls);
    this.url = props.domain
      ? new CustomDomain(this, 'domain', { api: this.api, ...props.domain }).url
      : this.api.urlForPath().replace(/\/$/, '');
    this.addGatewayResponses(errors);
    this.addAlarm();
    this.explainChecks();
    // Of each method that names no other kind, such as a preflight.
    this.methodSettings.push({
      ...this.limitOf('*', '/*', 'read'),
      loggingLevel: 'OFF',
      dataTraceEnabled: false,
      metricsEnabled: false,
    });
    const stage = this.api.deploymentStage.node.defaultChild as apigateway.CfnStage;
    stage.methodSettings = Lazy.any({ produce: () => this.methodSettings });
    if (props.waf === undefined) return;
    new WebAcl(this, 'web-acl', {
      stage: this.api.deploymentStage,
      requestsPerMinute: props.waf,
      throttled: errors.throttled,
    });
  }

  private explainChecks(): void {
    Validations.of(this.api).acknowledge(
      {
        id: 'AwsSolutions::AwsSolutions-APIG2',
        reason: 'The functions validate requests, and name the field that is wrong.',
      },
      {
        id: 'AwsSolutions::AwsSolutions-APIG3',
        reason: 'A web ACL costs by month and request; the setting quire:waf makes one.',
      },
      {
        id: 'AwsSolutions::AwsSolutions-APIG6',
        reason:
          'Each request has a line in the access logs; execution logs would hold keys and prompts.',
      },
      {
        id: 'AwsSolutions::AwsSolutions-COG4',
        reason: 'Callers have API keys of this service, which its own authorizer checks.',
      },
      {
        id: 'AwsSolutions::AwsSolutions-IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/service-role/AmazonAPIGatewayPushToCloudWatchLogs]',
        reason: 'AWS made this policy for the role by which API Gateway writes logs.',
      },
    );
  }

  private addAlarm(): void {
    const statistic = 'Sum';
    const period = Duration.minutes(5);
    ServiceAlarms.of(this).onShare(
      'gateway-5xx',
      5,
      {
        requests: this.api.metricCount({ period }),
        faults: this.api.metricServerError({ period, statistic }),
        providers: serviceMetric(this, 'ProviderFaults', statistic, period),
      },
      {
        notices:
          'One of a hundred answers or more is a 5xx, of functions or of the gateway itself; providers are not to blame',
        todo: 'find the routes in the access logs; without "Faults" beside it, functions time out, crash or are throttled',
        runbook: 'Gateway 5xx',
        essential: true,
      },
    );
  }

  /** Makes the function of a route such as `GET /user/limits`, for callers with a valid API key. */
  endpoint(scope: Construct, name: string, route: string, props: EndpointProps = {}) {
    const { kind, isStreamed, timeout = isStreamed ? maxAnswerTime : Duration.seconds(25) } = props;
    const [method = '', path = ''] = route.split(' ');
    const fn = new ServiceFunction(scope, name, { ...props, description: route, timeout });
    if (isStreamed) this.routeStreamed(method, path, fn, timeout);
    else this.route(method, path, fn, kind);
    return fn;
  }

  /** Routes a method to a function, for callers with a valid API key. */
  route(method: string, path: string, fn: ServiceFunction, kind: RouteKind = 'read'): void {
    const authorizer = this.authorizerOf(path);
    this.addRoute(method, path, fn, this.invoker.integrationOf(fn), kind, { authorizer });
  }

  /** Routes a method to a function that streams its answer, for at most `timeout`. */
  routeStreamed(method: string, path: string, fn: ServiceFunction, timeout: Duration): void {
    const authorizer = this.authorizerOf(path);
    this.addRoute(method, path, fn, this.invoker.integrationOf(fn, timeout), 'stream', {
      authorizer,
    });
  }

  private authorizerOf(path: string): apigateway.IAuthorizer {
    return anthropicPaths.test(path) ? this.anyHeaderAuthorizer : this.authorizer;
  }

  /** Routes a method to a function, for everyone. */
  routeOpen(method: string, path: string, fn: ServiceFunction): void {
    this.addOpenRoute(method, path, fn, this.invoker.integrationOf(fn));
  }

  /** Routes a method to a function that streams its answer, for everyone. */
  routeOpenStreamed(
    method: string,
    path: string,
    fn: ServiceFunction,
    timeout: Duration,
    kind: RouteKind = 'open',
  ): void {
    this.addOpenRoute(method, path, fn, this.invoker.integrationOf(fn, timeout), kind);
  }

  private addOpenRoute(
    method: string,
    path: string,
    fn: ServiceFunction,
    integration: apigateway.Integration,
    kind: RouteKind = 'open',
  ): void {
    const open = this.addRoute(method, path, fn, integration, kind, {
      authorizationType: apigateway.AuthorizationType.NONE,
    });
    Validations.of(open).acknowledge({
      id: 'AwsSolutions::AwsSolutions-APIG4',
      reason: 'Health, documentation and the console’s files are for everyone.',
    });
  }

  private addRoute(
    method: string,
    path: string,
    fn: ServiceFunction,
    integration: apigateway.Integration,
    kind: RouteKind,
    options: apigateway.MethodOptions,
  ): apigateway.Method {
    if (kind !== 'read') this.methodSettings.push(this.limitOf(method, path, kind));
    const resource = this.api.root.resourceForPath(path);
    const added = resource.addMethod(method, integration, options);
    if (this.corsOrigins.length === 0) return added;
    fn.addEnvironment('CORS_ORIGINS', JSON.stringify(this.corsOrigins));
    if (!this.paths.has(path)) addPreflight(resource, this.corsOrigins);
    this.paths.add(path);
    return added;
  }

  /**
   * Limits the requests to a method. API Gateway's limits hold for each method by itself, never for a stage: one
   * for all would be as many times as high as there are methods. Each setting is a patch of the stage, which takes no
   * more than 80, so that a method names what differs from the others alone.
   * @see https://docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-request-throttling.html
   */
  private limitOf(
    httpMethod: string,
    path: string,
    kind: RouteKind,
  ): apigateway.CfnStage.MethodSettingProperty {
    const { rate, burst } = requestRate(kind, this.concurrency, this.requestsPerSecond);
    return {
      httpMethod,
      resourcePath: encodedPath(path),
      throttlingRateLimit: rate,
      throttlingBurstLimit: burst,
    };
  }

  private addGatewayResponses(errors: GatewayErrors): void {
    const responses: [apigateway.ResponseType, GatewayError][] = [
      [apigateway.ResponseType.UNAUTHORIZED, errors.invalidApiKey],
      [apigateway.ResponseType.ACCESS_DENIED, errors.invalidApiKey],
      [apigateway.ResponseType.RESOURCE_NOT_FOUND, errors.noSuchRoute],
      // The gateway takes an unknown route for one that wants an AWS signature, which a bearer token is not.
      [apigateway.ResponseType.MISSING_AUTHENTICATION_TOKEN, errors.noSuchRoute],
      [apigateway.ResponseType.INVALID_SIGNATURE, errors.noSuchRoute],
      [apigateway.ResponseType.REQUEST_TOO_LARGE, errors.requestTooLarge],
      [apigateway.ResponseType.UNSUPPORTED_MEDIA_TYPE, errors.unsupportedEncoding],
      [apigateway.ResponseType.THROTTLED, errors.throttled],
      // Of a usage plan that an operator has made.
      [apigateway.ResponseType.QUOTA_EXCEEDED, errors.throttled],
      // It was asked, and could not read the key; or there was no place for it to run.
      [apigateway.ResponseType.AUTHORIZER_FAILURE, errors.unavailable],
      [apigateway.ResponseType.AUTHORIZER_CONFIGURATION_ERROR, errors.unavailable],
      // Lambda throttles the function, which would be a 500, or the function fails without an answer, a 502.
      // https://repost.aws/questions/QUfI6bsdd0SOiPeyimzxSkfQ
      [apigateway.ResponseType.INTEGRATION_FAILURE, errors.notRun],
      [apigateway.ResponseType.WAF_FILTERED, errors.refusedAddress],
      [apigateway.ResponseType.DEFAULT_4XX, errors.badRequest],
      [apigateway.ResponseType.DEFAULT_5XX, errors.internalError],
    ];
    for (const [type, { statusCode, retryAfterSeconds, body }] of responses) {
      this.api.addGatewayResponse(type.responseType, {
        type,
        ...(statusCode && { statusCode: String(statusCode) }),
        responseHeaders: {
          ...(statusCode === 401 && { 'WWW-Authenticate': "'Bearer'" }),
          ...(retryAfterSeconds && { 'Retry-After': `'${retryAfterSeconds}'` }),
          ...errorHeaders(this.corsOrigins),
        },
        templates: { 'application/json': JSON.stringify(body) },
      });
    }
  }
}

/**
 * TLS 1.2 with forward secrecy, or 1.3: an API of a region would take 1.0. Whatever endpoint a caller comes by is let in,
 * as before.
 * @see https://docs.aws.amazon.com/apigateway/latest/developerguide/apigateway-security-policies.html
 */
const leastTls: Partial<apigateway.CfnRestApi> = {
  securityPolicy: 'SecurityPolicy_TLS13_1_2_PFS_PQ_2025_09',
  endpointAccessMode: 'BASIC',
};

/** What Anthropic's clients ask, which may send a key as `x-api-key`. */
const anthropicPaths = /^\/v1\/(messages|models)(\/|$)/;

/** One line of JSON for each request, without its headers, query and body. */
function accessLogFormat(): apigateway.AccessLogFormat {
  return apigateway.AccessLogFormat.custom(
    JSON.stringify({
      request_id: apigateway.AccessLogField.contextRequestId(),
      key_id: apigateway.AccessLogField.contextAuthorizer('keyId'),
      key_refused: apigateway.AccessLogField.contextAuthorizer('refused'),
      method: apigateway.AccessLogField.contextHttpMethod(),
      route: apigateway.AccessLogField.contextResourcePath(),
      status: apigateway.AccessLogField.contextStatus(),
      error: apigateway.AccessLogField.contextErrorResponseType(),
      // What Lambda answered, not the function: 429 is a throttle.
      lambda_status: apigateway.AccessLogField.contextIntegrationStatus(),
      latency_ms: apigateway.AccessLogField.contextResponseLatency(),
      integration_latency_ms: apigateway.AccessLogField.contextIntegrationLatency(),
    }),
  );
}

/**
 * Writes a path as a method's settings name it: slashes within it are `~1`.
 * @see https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/aws-properties-apigateway-stage-methodsetting.html
 */
const encodedPath = (path: string) =>
  path === '/' || path === '/*' ? path : `/${path.replaceAll('/', '~1')}`;
