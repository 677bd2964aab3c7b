/** The settings that are off by default, all on. */
export const everySetting = {
  'quire:alarms': 'all',
  'quire:canary': true,
  'quire:deletionProtection': true,
};
