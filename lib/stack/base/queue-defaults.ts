import { Duration } from 'aws-cdk-lib';
import { QueueEncryption } from 'aws-cdk-lib/aws-sqs';

/** What all queues have: free encryption, no plain connections, and the longest time that messages are kept. */
export const queueDefaults = {
  encryption: QueueEncryption.SQS_MANAGED,
  enforceSSL: true,
  retentionPeriod: Duration.days(14),
};
