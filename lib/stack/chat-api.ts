import { Duration } from 'aws-cdk-lib';
import { Construct } from 'constructs';
import { Canary } from './alarms/canary.ts';
import type { ApiKeys } from './api-keys.ts';
import { ServiceFunction } from './base/service-function.ts';
import { index, keyed, ServiceTable } from './base/service-table.ts';
import type { DocumentReader, DriveSearch, PageReader } from './document-reader.ts';
import type { Feedback } from './feedback.ts';
import type { FileStore } from './file-store.ts';
import { maxAnswerTime, type ServiceApi } from './gateway/service-api.ts';
import type { Ledger } from './ledger.ts';
import type { ModelProviders } from './model-providers.ts';
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
  readonly feedback: Feedback;
  readonly files: FileStore;
  readonly completionsMemoryMb: number;
}

/** A chat waits for models nearly all of its time, and waiting is billed by memory. lib/COST.md has the figures. */
const chatMemoryMb = 512;

/** 2,048 vectors of 3,072 numbers are 80 MB of JSON. */
const embeddingsMemoryMb = 1024;

/** The routes that ask models while the caller waits, and the routes of chats' sessions. */
export class ChatApi extends Construct {
  private readonly props: ChatApiProps;

  constructor(scope: Construct, id: string, props: ChatApiProps) {
    super(scope, id);
    this.props = props;
    this.addCompletions();
    const sessions = this.addSessions();
    this.addChat(sessions);
  }

  private addCompletions(): void {
    this.asking('create-chat-completion', '/v1/chat/completions');
    this.asking('create-response', '/v1/responses');
    this.endpoint('count-response-tokens', 'POST /v1/responses/input_tokens');
    this.asking('create-message', '/v1/messages', false);
    this.endpoint('count-message-tokens', 'POST /v1/messages/count_tokens');
    this.addEmbeddings();
    this.endpoint('list-models', 'GET /v1/models');
    // A model's id may have slashes.
    this.endpoint('get-model', 'GET /v1/models/{model+}');
  }

  /** A route that asks a model once, in the dialect of its path. */
  private asking(name: string, path: string, namesFiles = true): void {
    const { api, ledger, providers, files, completionsMemoryMb } = this.props;
    const fn = new ServiceFunction(this, name, {
      description: `POST ${path}`,
      timeout: maxAnswerTime,
      memorySize: completionsMemoryMb,
    });
    ledger.grantSpend(fn);
    providers.grantCall(fn);
    if (namesFiles) files.grantRead(fn);
    Canary.of(this).guard(fn, 'faults');
    api.routeStreamed('POST', path, fn, maxAnswerTime);
  }

  private addEmbeddings(): void {
    const { api, ledger, providers } = this.props;
    const createEmbeddings = api.endpoint(this, 'create-embeddings', 'POST /v1/embeddings', {
      isStreamed: true,
      memorySize: embeddingsMemoryMb,
    });
    ledger.grantSpend(createEmbeddings);
    providers.grantCall(createEmbeddings);
  }

  private addSessions(): ServiceTable {
    const sessions = new ServiceTable(this, 'sessions', {
      ...keyed('key_id', 'session'),
      globalSecondaryIndexes: [
        // For the list, which leaves out what was said.
        index('recent', 'key_id', 'updated_at', [
          'session_id',
          'user_id',
          'message_count',
          'expires_at',
        ]),
      ],
      // A conversation that is forgotten after a day must not lie in backups for 35.
      restorable: false,
    });
    const one = '/chat/sessions/{session_id}';
    const listSessions = this.endpoint('list-sessions', 'GET /chat/sessions');
    sessions.allowQuery(listSessions, 'recent');
    listSessions.addEnvironment('SESSIONS_TABLE', sessions.tableName);
    const deleteSession = this.endpoint('delete-session', `DELETE ${one}`);
    this.props.feedback.grantErase(deleteSession);
    grantSessions(sessions, deleteSession, 'dynamodb:PutItem');
    grantSessions(sessions, this.endpoint('get-session', `GET ${one}`), 'dynamodb:GetItem');
    return sessions;
  }

  private addChat(sessions: ServiceTable): void {
    const { api, keys, ledger, providers, webSearch, pages, driveSearch, documentReader } =
      this.props;
    const { files } = this.props;
    const streamChat = api.endpoint(this, 'stream-chat', 'POST /chat/stream', {
      isStreamed: true,
      memorySize: chatMemoryMb,
    });
    ledger.grantSpend(streamChat);
    ledger.grantRead(streamChat);
    providers.grantCall(streamChat);
    keys.grantRead(streamChat);
    webSearch.grantSearch(streamChat);
    pages.grantRead(streamChat);
    driveSearch.grantAsk(streamChat);
    documentReader.grantRead(streamChat);
    files.grantRead(streamChat);
    grantSessions(sessions, streamChat, 'dynamodb:GetItem', 'dynamodb:PutItem');
  }

  private endpoint(name: string, route: string): ServiceFunction {
    return this.props.api.endpoint(this, name, route, { timeout: Duration.seconds(10) });
  }
}

function grantSessions(sessions: ServiceTable, fn: ServiceFunction, ...actions: string[]): void {
  sessions.allow(fn, ...actions);
  fn.addEnvironment('SESSIONS_TABLE', sessions.tableName);
}
