/** The settings that are off by default, all on. */
export const everySetting = {
  'quire:alarms': 'all',
  'quire:canary': true,
  'quire:alarmEmail': 'oncall@example.com',
  'quire:certificate': 'arn:aws:acm:us-east-1:000000000000:certificate/1234-abcd',
  'quire:corsOrigins': ['https://app.example.com', 'https://admin.example.com'],
  'quire:dashboard': true,
  'quire:dayCeilingUsd': 1000,
  'quire:deletionProtection': true,
  'quire:domain': 'api.example.com',
  'quire:events': true,
  'quire:kmsKey': 'arn:aws:kms:us-east-1:000000000000:key/12345678-1234-1234-1234-123456789012',
  'quire:sweeps': 16,
  'quire:tags': 'team=search',
  'quire:tracing': true,
  'quire:waf': 2000,
};
