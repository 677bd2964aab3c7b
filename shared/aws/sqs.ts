import { SQSClient } from '@aws-sdk/client-sqs';

/** The one SQS client of a function. */
export const sqs = new SQSClient({});
