import type { DynamoDBStreamEvent } from 'aws-lambda';
import { deliverEvents } from '../shared/webhooks/deliver.ts';

/** Reads the stream of the webhooks table. */
export const handler = (event: DynamoDBStreamEvent) => deliverEvents(event);
