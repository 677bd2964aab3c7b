import { Duration, type RemovalPolicy } from 'aws-cdk-lib';
import { AttributeType } from 'aws-cdk-lib/aws-dynamodb';
import { Construct } from 'constructs';
import type { ApiKeys } from './api-keys.ts';
import type { DocumentReader } from './document-reader.ts';
import type { DriveSearch } from './drive-search.ts';
import type { Ledger } from './ledger.ts';
import type { ModelProviders } from './model-providers.ts';
import type { PageReader } from './page-reader.ts';
import type { ServiceApi } from './service-api.ts';
import { type FunctionLogs, ServiceFunction } from './service-function.ts';
import { ServiceTable } from './service-table.ts';
import type { WebSearch } from './web-search.ts';

export interface ChatApiProps {
  readonly api: ServiceApi;
  readonly keys: ApiKeys;
  readonly ledger: Ledger;
  readonly providers: ModelProviders;
  readonly webSearch: WebSearch;
  readonly pages: PageReader;
  readonly driveSearch: DriveSearch;
  readonly documentReader: DocumentReader;
  readonly removalPolicy: RemovalPolicy;
  readonly logs: FunctionLogs;
}

/** The longest that the gateway allows for a streamed answer. */
const maxAnswerTime = Duration.minutes(15);

/** The routes that talk to models while the caller waits. */
export class ChatApi extends Construct {
  constructor(
    scope: Construct,
    id: string,
    {
      api,
      keys,
      ledger,
      providers,
      webSearch,
      pages,
      driveSearch,
      documentReader,
      removalPolicy,
      logs,
    }: ChatApiProps,
  ) {
    super(scope, id);
    const createChatCompletion = new ServiceFunction(this, 'create-chat-completion', {
      description: 'POST /v1/chat/completions',
      timeout: maxAnswerTime,
      memorySize: 1024,
      logs,
    });
    ledger.grantSpend(createChatCompletion);
    providers.grantCall(createChatCompletion);
    api.routeStreamed('POST', '/v1/chat/completions', createChatCompletion, maxAnswerTime);

    const sessions = new ServiceTable(this, 'sessions', {
      partitionKey: { name: 'key_id', type: AttributeType.STRING },
      sortKey: { name: 'session', type: AttributeType.STRING },
      removalPolicy,
    });
    const streamChat = new ServiceFunction(this, 'stream-chat', {
      description: 'POST /chat/stream',
      timeout: maxAnswerTime,
      memorySize: 1024,
      logs,
    });
    ledger.grantSpend(streamChat);
    providers.grantCall(streamChat);
    keys.grantRead(streamChat);
    webSearch.grantSearch(streamChat);
    pages.grantRead(streamChat);
    driveSearch.grantAsk(streamChat);
    documentReader.grantRead(streamChat);
    sessions.grant(streamChat, 'dynamodb:GetItem', 'dynamodb:PutItem');
    streamChat.addEnvironment('SESSIONS_TABLE', sessions.tableName);
    api.routeStreamed('POST', '/chat/stream', streamChat, maxAnswerTime);

    const listModels = new ServiceFunction(this, 'list-models', {
      description: 'GET /v1/models',
      timeout: Duration.seconds(10),
      logs,
    });
    api.route('GET', '/v1/models', listModels);
  }
}
