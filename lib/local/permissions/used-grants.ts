import { appendFileSync } from 'node:fs';

/** Notes that a function's grant allowed an action. */
export type ReportGrant = (action: string, resource: string) => void;

/** Returns what notes each grant of a function at its first use, in the file that `QUIRE_USED_GRANTS` names. */
export function usedGrants(name: string): ReportGrant {
  const file = process.env['QUIRE_USED_GRANTS'];
  if (!file) return () => {};
  const noted = new Set<string>();
  return (action, resource) => {
    const line = `${name} ${action} ${resource}\n`;
    if (noted.has(line)) return;
    noted.add(line);
    appendFileSync(file, line);
  };
}
