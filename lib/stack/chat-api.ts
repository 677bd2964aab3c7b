import { Duration } from 'aws-cdk-lib';
import { Construct } from 'constructs';
import type { ServiceFunction } from './base/service-function.ts';
import { index, keyed, ServiceTable } from './base/service-table.ts';
import type { Needs } from './parts.ts';

type ChatApiProps = Needs<'settings' | 'api' | 'feedback' | SpenderParts | SourceParts>;
type SpenderParts = 'keys' | 'ledger' | 'providers' | 'files';
type SourceParts = 'webSearch' | 'pageReader' | 'driveSearch' | 'documentReader';

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
    const { completionsMemoryMb: memorySize } = this.props.settings;
    const completions = { memorySize, isCanary: true };
    this.asking('create-chat-completion', '/v1/chat/completions', completions);
    this.asking('create-response', '/v1/responses', completions);
    this.endpoint('count-response-tokens', 'POST /v1/responses/input_tokens');
    this.asking('create-message', '/v1/messages', completions, false);
    this.endpoint('count-message-tokens', 'POST /v1/messages/count_tokens');
    this.asking('create-embeddings', '/v1/embeddings', { memorySize: embeddingsMemoryMb }, false);
    this.endpoint('list-models', 'GET /v1/models');
    // A model's id may have slashes.
    this.endpoint('get-model', 'GET /v1/models/{model+}');
  }

  /** A route that asks a model once, in the dialect of its path. */
  private asking(
    name: string,
    path: string,
    how: { memorySize: number; isCanary?: boolean },
    namesFiles = true,
  ): void {
    const { api, ledger, providers, files } = this.props;
    const fn = api.endpoint(this, name, `POST ${path}`, { isStreamed: true, ...how });
    ledger.grant(fn, 'spend');
    providers.grantCall(fn);
    if (namesFiles) files.grant(fn, 'read');
  }

  private addSessions(): ServiceTable {
    const sessions = new ServiceTable(this, 'sessions', {
      variable: 'SESSIONS_TABLE',
      ...keyed('key_id', 'session'),
      globalSecondaryIndexes: [
        // The index of the list of sessions, which has no messages.
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
    sessions.allow(listSessions, 'Query/recent');
    const deleteSession = this.endpoint('delete-session', `DELETE ${one}`);
    this.props.feedback.grantErase(deleteSession);
    sessions.allow(deleteSession, 'PutItem');
    sessions.allow(this.endpoint('get-session', `GET ${one}`), 'GetItem');
    return sessions;
  }

  private addChat(sessions: ServiceTable): void {
    const { api, keys, ledger, providers, files, webSearch } = this.props;
    const { pageReader, driveSearch, documentReader } = this.props;
    const streamChat = api.endpoint(this, 'stream-chat', 'POST /chat/stream', {
      isStreamed: true,
      memorySize: chatMemoryMb,
    });
    ledger.grant(streamChat, 'spend');
    providers.grantCall(streamChat);
    keys.grantRead(streamChat);
    webSearch.grantSearch(streamChat);
    for (const each of [pageReader, driveSearch, documentReader]) each.letInvoke(streamChat);
    files.grant(streamChat, 'read');
    sessions.allow(streamChat, 'GetItem', 'PutItem');
  }

  private endpoint(name: string, route: string): ServiceFunction {
    return this.props.api.endpoint(this, name, route, { timeout: Duration.seconds(10) });
  }
}
