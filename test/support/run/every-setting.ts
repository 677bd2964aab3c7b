/** The settings that are off by default, all on. */
export const everySetting = {
  'quire:alarms': 'all',
  'quire:canary': true,
  'quire:deletionProtection': true,
  'quire:kmsKey': 'arn:aws:kms:us-east-1:000000000000:key/12345678-1234-1234-1234-123456789012',
};
