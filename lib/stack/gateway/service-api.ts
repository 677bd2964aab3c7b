import { Duration, Lazy, RemovalPolicy } from 'aws-cdk-lib';
import * as apigateway from 'aws-cdk-lib/aws-apigateway';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import type { GatewayError, GatewayErrors } from '../../../shared/http/gateway-errors.ts';
import { Canary } from '../alarms/canary.ts';
import { ServiceAlarms, withoutProviders } from '../alarms/service-alarms.ts';
import { serviceMetric } from '../alarms/service-metric.ts';
import type { ApiKeys } from '../api-keys.ts';
import { conventionsOf } from '../base/conventions.ts';
import { acknowledge } from '../base/permissions.ts';
import { ServiceFunction, type ServiceFunctionProps } from '../base/service-function.ts';
import { type RouteKind, requestRate } from '../settings/request-rates.ts';
import type { Settings } from '../settings/settings.ts';
import { addPreflight, errorHeaders } from './cors.ts';
import { CustomDomain } from './custom-domain.ts';
import { GatewayRole } from './gateway-role.ts';
import { WebAcl } from './web-acl.ts';

/** What the function of a route has: 25 seconds, or for a streamed answer as many minutes as the gateway allows. */
interface EndpointProps extends Partial<Omit<ServiceFunctionProps, 'description'>> {
  readonly isOpen?: boolean;
  readonly kind?: RouteKind;
  readonly isStreamed?: boolean;
  /** Whether a new version gets a part of the calls first, where deploys are so. */
  readonly isCanary?: boolean;
}

/** How a route is called: by callers with a valid API key or by everyone, and streamed if it has a `timeout`. */
interface RouteProps {
  readonly isOpen?: boolean;
  readonly timeout?: Duration | undefined;
  readonly kind?: RouteKind | undefined;
}

/** The longest that the gateway allows for a streamed answer. */
const maxAnswerTime = Duration.minutes(15);

export interface ServiceApiProps {
  readonly settings: Settings;
  readonly keys: ApiKeys;
  readonly errors: GatewayErrors;
}

/** The gateway: its routes, who may call them, and the errors it sends before a function is called. */
export class ServiceApi extends Construct {
  readonly url: string;
  private readonly api: apigateway.RestApi;
  private readonly invoker: GatewayRole;
  private readonly props: ServiceApiProps;
  private readonly paths = new Set<string>();
  private readonly methodSettings: apigateway.CfnStage.MethodSettingProperty[] = [];

  constructor(scope: Construct, id: string, props: ServiceApiProps) {
    super(scope, id);
    this.props = props;
    const { errors, settings } = props;
    const { stageName, gatewayAccount, domain: name, certificate: certificateArn } = settings;
    const { logs, tracing } = conventionsOf(this);
    this.api = new apigateway.RestApi(this, 'api', {
      restApiName: `Quire ${stageName}`,
      endpointTypes: [apigateway.EndpointType.REGIONAL],
      // Functions get such a body in base64, and every other as the text that it is.
      binaryMediaTypes: ['multipart/form-data'],
      // A region has one such role, for all that is in it.
      cloudWatchRole: gatewayAccount,
      ...(gatewayAccount && {
        cloudWatchRoleRemovalPolicy: RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE,
      }),
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
    Object.assign(node.defaultChild as apigateway.CfnRestApi, minTls);
    this.url =
      name && certificateArn
        ? new CustomDomain(this, 'domain', { api: this.api, name, certificateArn }).url
        : this.api.urlForPath().replace(/\/$/, '');
    this.addGatewayResponses(errors);
    this.addAlarm();
    this.explainChecks();
    // The rate of each method without a kind, such as a preflight.
    this.methodSettings.push({
      ...this.limitOf('*', '/*', 'read'),
      loggingLevel: 'OFF',
      dataTraceEnabled: false,
      metricsEnabled: false,
    });
    const stage = this.api.deploymentStage.node.defaultChild as apigateway.CfnStage;
    stage.methodSettings = Lazy.any({ produce: () => this.methodSettings });
    if (settings.waf === undefined) return;
    new WebAcl(this, 'web-acl', {
      stage: this.api.deploymentStage,
      requestsPerMinute: settings.waf,
      throttled: errors.throttled,
    });
  }

  private explainChecks(): void {
    acknowledge(this.api, {
      APIG2: 'The functions validate requests, and name the field that is wrong.',
      APIG3: 'A web ACL costs by month and request; the setting quire:waf makes one.',
      APIG6:
        'Each request has a line in the access logs; execution logs would hold keys and prompts.',
      COG4: 'Callers have API keys of this service, which its own authorizer checks.',
      'IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/service-role/AmazonAPIGatewayPushToCloudWatchLogs]':
        'AWS made this policy for the role by which API Gateway writes logs.',
    });
  }

  private addAlarm(): void {
    const period = Duration.minutes(5);
    const faults = this.api.metricServerError({ period, statistic: 'Sum' });
    const ours = withoutProviders(faults, serviceMetric(this, 'ProviderFaults'));
    ServiceAlarms.of(this).onShare('gateway-5xx', 5, this.api.metricCount({ period }), ours, {
      notices:
        'One of a hundred answers or more is a 5xx, of functions or of the gateway itself; providers are not to blame',
      todo: 'find the routes in the access logs; without "Faults" beside it, functions time out, crash or are throttled',
      runbook: 'Gateway 5xx',
      essential: true,
    });
  }

  /** Makes the function of a route such as `GET /user/limits`. */
  endpoint(scope: Construct, name: string, route: string, props: EndpointProps = {}) {
    const { isStreamed, timeout = isStreamed ? maxAnswerTime : Duration.seconds(25) } = props;
    const fn = new ServiceFunction(scope, name, { ...props, description: route, timeout });
    if (props.isCanary) Canary.of(this).guard(fn, 'faults');
    this.route(route, fn, { ...props, timeout: isStreamed ? timeout : undefined });
    return fn;
  }

  /** Routes a method and path to a function. */
  route(route: string, fn: ServiceFunction, { isOpen, timeout, kind }: RouteProps = {}): void {
    const { keys, settings } = this.props;
    const { corsOrigins } = settings;
    const [method = '', path = ''] = route.split(' ');
    const rated = kind ?? (isOpen ? 'open' : timeout ? 'stream' : 'read');
    if (rated !== 'read') this.methodSettings.push(this.limitOf(method, path, rated));
    const authorizer = anthropicPaths.test(path) ? keys.anyHeaderAuthorizer : keys.authorizer;
    const resource = this.api.root.resourceForPath(path);
    const added = resource.addMethod(
      method,
      this.invoker.integrationOf(fn, timeout),
      isOpen ? { authorizationType: apigateway.AuthorizationType.NONE } : { authorizer },
    );
    if (isOpen) {
      acknowledge(added, {
        APIG4: 'Health, documentation and the console’s files are for everyone.',
      });
    }
    if (corsOrigins.length === 0) return;
    fn.addEnvironment('CORS_ORIGINS', JSON.stringify(corsOrigins));
    if (!this.paths.has(path)) addPreflight(resource, corsOrigins);
    this.paths.add(path);
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
    const { concurrency, requestsPerSecond } = this.props.settings;
    const { rate, burst } = requestRate(kind, concurrency, requestsPerSecond);
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
      // A usage plan that an operator has made.
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
          ...errorHeaders(this.props.settings.corsOrigins),
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
const minTls: Partial<apigateway.CfnRestApi> = {
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
