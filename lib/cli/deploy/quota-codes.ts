/** The quotas that are known by their codes. */
export const quotaCodes = {
  lambda: { service: 'lambda', name: 'Concurrent executions', code: 'L-B99A9384' },
  gateway: { service: 'apigateway', name: 'Throttle rate', code: 'L-8A5B8E43' },
  table: { service: 'dynamodb', name: 'Table-level write throughput limit', code: 'L-AB614373' },
} as const;
