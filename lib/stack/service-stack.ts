import { CfnOutput, Duration, RemovalPolicy, Stack, type StackProps, Tags } from 'aws-cdk-lib';
import type { RetentionDays } from 'aws-cdk-lib/aws-logs';
import { CfnQueue } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import type { GatewayErrors } from '../../shared/http/gateway-errors.ts';
import type { Catalogue } from '../../shared/models/catalogue.ts';
import { Canary } from './alarms/canary.ts';
import { ServiceAlarms } from './alarms/service-alarms.ts';
import { ServiceDashboard } from './alarms/service-dashboard.ts';
import { ServiceHealth } from './alarms/service-health.ts';
import { ApiKeys } from './api-keys.ts';
import { setConventions } from './base/conventions.ts';
import { bundlesDir, inlinePolicies } from './base/service-function.ts';
import { protectTables } from './base/service-table.ts';
import { bundleFunctions, leaveUnbundled } from './bundles/bundles.ts';
import { ChatApi } from './chat-api.ts';
import { encryptWith } from './customer-key.ts';
import { ConsoleApi, DocsApi } from './docs-api.ts';
import { newDocumentReader, newDriveSearch, newPageReader } from './document-reader.ts';
import { DriveAccount } from './drive-account.ts';
import { Feedback } from './feedback.ts';
import { FileStore } from './file-store.ts';
import { FilesApi } from './files-api.ts';
import { ServiceApi } from './gateway/service-api.ts';
import { DocumentRunners } from './jobs/document-runners.ts';
import { JobQueues } from './jobs/job-queues.ts';
import { JobRunners } from './jobs/job-runners.ts';
import { JobTable } from './jobs/job-table.ts';
import { JobsApi, RequestBatchesApi } from './jobs/jobs-api.ts';
import { Ledger } from './ledger.ts';
import { ModelProviders } from './model-providers.ts';
import { reserveConcurrency } from './settings/reserved-concurrency.ts';
import type { Settings } from './settings/settings.ts';
import { Usage } from './usage.ts';
import { WebSearch } from './web-search.ts';
import { Webhooks } from './webhooks.ts';

export interface ServiceStackProps extends StackProps {
  readonly settings: Settings;
  readonly catalogue: Catalogue;
  readonly gatewayErrors: GatewayErrors;
}

/** The whole service: every construct, wired to those it needs. */
export class ServiceStack extends Stack {
  constructor(
    scope: Construct,
    id: string,
    { settings, catalogue, gatewayErrors, ...props }: ServiceStackProps,
  ) {
    super(scope, id, props);
    // A first deploy that fails deletes its resources: they are empty, and would be left behind.
    const removalPolicy =
      settings.removalPolicy === 'retain'
        ? RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE
        : RemovalPolicy.DESTROY;
    setConventions(this, {
      removalPolicy,
      versioned: settings.deletionProtection,
      secretStore: settings.secrets,
      logs: {
        retention: settings.logRetentionDays as RetentionDays,
        removalPolicy: RemovalPolicy.DESTROY,
      },
      tracing: settings.tracing,
    });
    // Whoever reads the template alone needs none. The CDK's own `bundlingRequired` is also false in
    // `cdk deploy --exclusively` without names.
    if (this.node.tryGetContext('unbundled') === true) leaveUnbundled(bundlesDir(this));
    else bundleFunctions(bundlesDir(this), catalogue, settings.secrets);
    const { stageName, laneShards, concurrency } = settings;
    new ServiceAlarms(this, { kind: settings.alarms, email: settings.alarmEmail });
    new Canary(this, { isOn: settings.canary });
    const keys = new ApiKeys(this, 'keys');
    const providers = new ModelProviders(this, 'providers', { catalogue });
    const webSearch = new WebSearch(this, 'search', { settings, catalogue });
    const retentionDays = settings.jobRetentionDays;
    const ledger = new Ledger(this, 'ledger', settings.dayCeilingUsd);
    const jobs = new JobTable(this, 'jobs', { retentionDays });
    const files = new FileStore(this, 'files', {
      quota: { files: settings.filesPerKey, bytes: settings.fileMbPerKey * 1024 * 1024 },
      jobs,
    });
    const drive = new DriveAccount(this, 'drive');
    const queues = new JobQueues(this, 'lanes', laneShards);
    const webhooks = new Webhooks(this, 'webhooks', { ledger, publishes: settings.events });
    const work = { settings, queues, jobs, files, ledger, keys, providers, drive, webhooks };
    new JobRunners(this, 'runners', work);
    new DocumentRunners(this, 'documents', work);

    const api = new ServiceApi(this, 'gateway', { settings, keys, errors: gatewayErrors });
    const feedback = new Feedback(this, 'feedback', api);
    const routed = { ...work, api, feedback };
    new JobsApi(this, 'batch', routed);
    new RequestBatchesApi(this, 'batches', routed);
    new FilesApi(this, 'file-api', routed);
    const pageReader = newPageReader(this);
    const documentReader = newDocumentReader(this);
    const driveSearch = newDriveSearch(this, { drive, documentReader, jobs });
    new ChatApi(this, 'chat', { ...routed, webSearch, pageReader, driveSearch, documentReader });
    const usage = new Usage(this, 'usage', routed);
    const getLimits = api.endpoint(this, 'get-limits', 'GET /user/limits', {
      timeout: Duration.seconds(10),
    });
    ledger.grant(getLimits, 'read');
    webSearch.describeTo(getLimits);
    const getHealth = api.endpoint(this, 'get-health', 'GET /health', { isOpen: true });
    ledger.grant(getHealth, 'spend');
    providers.grantCall(getHealth);
    keys.grantRead(getHealth);
    queues.chat.grantLook(getHealth);

    const tables = [jobs.table, files.table, keys.table, usage.table, webhooks.table];
    new ServiceHealth(this, 'health', { concurrency, ledger: ledger.table, tables });
    if (settings.dashboard) new ServiceDashboard(this, 'dashboard', { stageName });
    // The id is part of its functions' logical ids: another would replace them.
    new DocsApi(this, 'contract', { api });
    new ConsoleApi(this, 'console', { api });

    const tags = { service: 'quire', stage: stageName, ...settings.tags };
    for (const [key, value] of Object.entries(tags)) {
      // CloudFormation's schema of a dashboard has had tags only of late, and cfn-lint's has none.
      Tags.of(this).add(key, value, { excludeResourceTypes: ['AWS::CloudWatch::Dashboard'] });
    }
    if (settings.reservedConcurrency) reserveConcurrency(this, settings);
    if (settings.deletionProtection) protectTables(this);
    // The queues hold jobs, and charges that are to be booked.
    for (const each of this.node.findAll()) {
      if (each instanceof CfnQueue) each.applyRemovalPolicy(removalPolicy);
    }
    if (settings.kmsKey) encryptWith(settings.kmsKey, this);
    inlinePolicies(this);

    const models = [...catalogue.models, ...catalogue.embeddingModels];
    const outputs = {
      BaseUrl: api.url,
      ApiUrl: api.url,
      LedgerTable: ledger.table.tableName,
      KeysTable: keys.table.tableName,
      UsageTable: usage.table.tableName,
      Models: models.map(({ id }) => id).join(' '),
      FeedbackTable: feedback.table.tableName,
      JobsTable: jobs.table.tableName,
      FilesTable: files.table.tableName,
      FileQuota: this.toJsonString(files.quota),
      JobRetentionDays: retentionDays,
      LaneShards: laneShards,
      RequestsPerMinute: settings.requestsPerMinute,
      WebhooksTable: webhooks.table.tableName,
    };
    for (const [name, value] of Object.entries(outputs)) {
      if (value !== undefined) new CfnOutput(this, name, { value: String(value) });
    }
  }
}
