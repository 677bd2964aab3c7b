import { SQSClient } from '@aws-sdk/client-sqs';
import { timeouts } from './timeouts.ts';

/** The one SQS client of a function. */
export const sqs = new SQSClient(timeouts({ responseMs: 5_000 }));
