import { describe, expect, it } from 'vitest';
import {
  all,
  functionIn,
  only,
  type Properties,
  referencesIn,
  template,
} from '../support/run/stack-template.ts';

const limitFields = ['HttpMethod', 'ResourcePath', 'ThrottlingBurstLimit', 'ThrottlingRateLimit'];

describe('routes', () => {
  const pathOf = (id = ''): string => {
    const { PathPart, ParentId } = (template.Resources[id]?.Properties ?? {}) as Properties;
    return PathPart ? `${pathOf(...referencesIn(ParentId))}/${PathPart}` : '';
  };

  it('are these, each with its function and who may call it', () => {
    const routes = all('AWS::ApiGateway::Method').map(([, method]) => {
      const { HttpMethod, ResourceId, AuthorizationType, AuthorizerId, Integration } = method;
      const who = AuthorizationType === 'CUSTOM' ? AuthorizerId.Ref : 'everyone';
      return `${HttpMethod} ${pathOf(ResourceId.Ref)} ${functionIn(Integration.Uri).name} ${who}`;
    });

    const idOf = (type: string) =>
      all('AWS::ApiGateway::Authorizer').find(([, { Type }]) => Type === type)?.[0];
    const [authorizer, anyHeader] = ['TOKEN', 'REQUEST'].map(idOf);
    expect(routes.sort()).toEqual([
      `DELETE /batch/jobs/{job_id} delete-job ${authorizer}`,
      `DELETE /chat/sessions/{session_id} delete-session ${authorizer}`,
      `DELETE /v1/files/{file_id} delete-file ${authorizer}`,
      'GET  get-index everyone',
      `GET /batch/jobs list-jobs ${authorizer}`,
      `GET /batch/jobs/{job_id} get-job ${authorizer}`,
      `GET /batch/jobs/{job_id}/pages/{page} get-job-page ${authorizer}`,
      `GET /chat/sessions list-sessions ${authorizer}`,
      `GET /chat/sessions/{session_id} get-session ${authorizer}`,
      'GET /console get-console everyone',
      'GET /console/{file} get-console everyone',
      'GET /docs get-docs everyone',
      'GET /docs/{file} get-docs everyone',
      `GET /feedback list-feedback ${authorizer}`,
      'GET /health get-health everyone',
      'GET /openapi.json get-openapi everyone',
      `GET /user/batch-stats get-batch-stats ${authorizer}`,
      `GET /user/limits get-limits ${authorizer}`,
      `GET /user/stats get-stats ${authorizer}`,
      `GET /v1/batches list-batches ${authorizer}`,
      `GET /v1/batches/{batch_id} get-batch ${authorizer}`,
      `GET /v1/files list-files ${authorizer}`,
      `GET /v1/files/{file_id} get-file ${authorizer}`,
      `GET /v1/files/{file_id}/content get-file-content ${authorizer}`,
      `GET /v1/models list-models ${anyHeader}`,
      `GET /v1/models/{model+} get-model ${anyHeader}`,
      `POST /batch/jobs submit-job ${authorizer}`,
      `POST /batch/jobs/{job_id}/cancel cancel-job ${authorizer}`,
      `POST /batch/jobs/{job_id}/retry retry-job ${authorizer}`,
      `POST /batch/jobs/{job_id}/stop stop-job ${authorizer}`,
      `POST /chat/stream stream-chat ${authorizer}`,
      `POST /feedback submit-feedback ${authorizer}`,
      `POST /v1/batches create-batch ${authorizer}`,
      `POST /v1/batches/{batch_id}/cancel cancel-batch ${authorizer}`,
      `POST /v1/chat/completions create-chat-completion ${authorizer}`,
      `POST /v1/embeddings create-embeddings ${authorizer}`,
      `POST /v1/files create-file ${authorizer}`,
      `POST /v1/messages create-message ${anyHeader}`,
      `POST /v1/messages/count_tokens count-message-tokens ${anyHeader}`,
      `POST /v1/responses create-response ${authorizer}`,
      `POST /v1/responses/input_tokens count-response-tokens ${authorizer}`,
      `POST /v1/uploads create-upload ${authorizer}`,
      `POST /v1/uploads/{upload_id}/cancel cancel-upload ${authorizer}`,
      `POST /v1/uploads/{upload_id}/complete complete-upload ${authorizer}`,
      `POST /v1/uploads/{upload_id}/parts add-upload-part ${authorizer}`,
    ]);
  });

  it('let no malformed key through to the authorizer, and keep its word for a minute', () => {
    const [, authorizer = {}] =
      all('AWS::ApiGateway::Authorizer').find(([, { Type }]) => Type === 'TOKEN') ?? [];

    expect(authorizer).toMatchObject({
      Type: 'TOKEN',
      IdentitySource: 'method.request.header.Authorization',
      IdentityValidationExpression: '^[Bb][Ee][Aa][Rr][Ee][Rr] sk-[0-9A-Za-z]{43}$',
      AuthorizerResultTtlInSeconds: 60,
    });
    expect(functionIn(authorizer.AuthorizerUri).name).toBe('authorize-request');
  });

  it('of Anthropic’s clients have an authorizer that is asked about each request, whatever headers it has', () => {
    const [, authorizer = {}] =
      all('AWS::ApiGateway::Authorizer').find(([, { Type }]) => Type === 'REQUEST') ?? [];

    expect(authorizer).toMatchObject({ AuthorizerResultTtlInSeconds: 0 });
    expect(authorizer).not.toHaveProperty('IdentitySource');
    expect(functionIn(authorizer.AuthorizerUri).name).toBe('authorize-request');
  });

  it('answer in all shapes that clients read where no function was asked', () => {
    const responses = all('AWS::ApiGateway::GatewayResponse').map(
      ([, { ResponseType, StatusCode, ResponseParameters, ResponseTemplates }]) => {
        const { type, detail, error } = JSON.parse(ResponseTemplates['application/json']);
        expect(type).toBe('error');
        expect(detail).toBe(error.message);
        const after = ResponseParameters?.['gatewayresponse.header.Retry-After'];
        return [ResponseType, StatusCode, error.type, error.code, after].filter(Boolean).join(' ');
      },
    );

    expect(responses.sort()).toEqual([
      'ACCESS_DENIED 401 authentication_error invalid_api_key',
      "AUTHORIZER_CONFIGURATION_ERROR 503 server_error service_unavailable '2'",
      "AUTHORIZER_FAILURE 503 server_error service_unavailable '2'",
      'DEFAULT_4XX invalid_request_error bad_request',
      'DEFAULT_5XX server_error internal_error',
      "INTEGRATION_FAILURE 503 server_error service_unavailable '2'",
      'INVALID_SIGNATURE 404 invalid_request_error not_found',
      'MISSING_AUTHENTICATION_TOKEN 404 invalid_request_error not_found',
      "QUOTA_EXCEEDED 429 rate_limit_error rate_limit_exceeded '1'",
      'REQUEST_TOO_LARGE 413 invalid_request_error request_too_large',
      'RESOURCE_NOT_FOUND 404 invalid_request_error not_found',
      "THROTTLED 429 rate_limit_error rate_limit_exceeded '1'",
      'UNAUTHORIZED 401 authentication_error invalid_api_key',
      'UNSUPPORTED_MEDIA_TYPE 415 invalid_request_error unsupported_content_encoding',
      'WAF_FILTERED 403 invalid_request_error address_refused',
    ]);
  });

  it('are limited each by itself, and log no body', () => {
    const { MethodSettings } = only('AWS::ApiGateway::Stage');

    const limits = (MethodSettings as Properties[]).map(
      ({ HttpMethod, ResourcePath, ThrottlingRateLimit, ThrottlingBurstLimit }) =>
        `${HttpMethod} ${ResourcePath} ${ThrottlingRateLimit} ${ThrottlingBurstLimit}`,
    );
    expect(limits.sort()).toEqual(
      [
        '* /* 500 200',
        'GET / 10 20',
        'GET /~1batch~1jobs~1{job_id}~1pages~1{page} 1000 1000',
        'GET /~1console 10 20',
        'GET /~1console~1{file} 2 40',
        'GET /~1docs 10 20',
        'GET /~1docs~1{file} 2 40',
        'GET /~1health 10 20',
        'GET /~1openapi.json 2 40',
        'POST /~1v1~1batches 400 200',
        'GET /~1v1~1files~1{file_id}~1content 1000 1000',
        'POST /~1v1~1files 400 200',
        'POST /~1v1~1uploads~1{upload_id}~1complete 1000 1000',
        'POST /~1v1~1uploads~1{upload_id}~1parts 400 200',
        'POST /~1batch~1jobs 400 200',
        'POST /~1chat~1stream 1000 1000',
        'POST /~1v1~1chat~1completions 1000 1000',
        'POST /~1v1~1embeddings 1000 1000',
        'POST /~1v1~1messages 1000 1000',
        'POST /~1v1~1responses 1000 1000',
      ].sort(),
    );
    const [everyMethod, ...others] = MethodSettings as [Properties, ...Properties[]];
    expect(everyMethod).toMatchObject({
      MetricsEnabled: false,
      LoggingLevel: 'OFF',
      DataTraceEnabled: false,
    });
    for (const each of others) expect(Object.keys(each).sort()).toEqual(limitFields);
  });

  it('take no more patches of the stage than an update of it may have', () => {
    const { MethodSettings } = only('AWS::ApiGateway::Stage') as { MethodSettings: Properties[] };
    const patches = MethodSettings.flatMap((setting) =>
      Object.keys(setting).filter((name) => !['HttpMethod', 'ResourcePath'].includes(name)),
    );
    expect(patches.length).toBeLessThanOrEqual(80);
  });

  it('want TLS 1.2 with forward secrecy, or newer', () => {
    expect(only('AWS::ApiGateway::RestApi')).toMatchObject({
      SecurityPolicy: 'SecurityPolicy_TLS13_1_2_PFS_PQ_2025_09',
      EndpointAccessMode: 'BASIC',
    });
  });

  it('hand forms over in base64, whose bytes would be spoiled as text, and nothing else', () => {
    expect(only('AWS::ApiGateway::RestApi')['BinaryMediaTypes']).toEqual(['multipart/form-data']);
  });

  it('log one JSON line a request, without header, query or body', () => {
    const { AccessLogSetting } = only('AWS::ApiGateway::Stage');

    expect(JSON.parse(AccessLogSetting.Format)).toEqual({
      request_id: '$context.requestId',
      key_id: '$context.authorizer.keyId',
      key_refused: '$context.authorizer.refused',
      method: '$context.httpMethod',
      route: '$context.resourcePath',
      status: '$context.status',
      error: '$context.error.responseType',
      lambda_status: '$context.integrationStatus',
      latency_ms: '$context.responseLatency',
      integration_latency_ms: '$context.integrationLatency',
    });
  });
});
