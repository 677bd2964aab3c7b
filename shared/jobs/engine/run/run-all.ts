import pLimit from 'p-limit';

/** Runs tasks, `atOnce` at a time. After a failure none begins; it is thrown once those under way have ended. */
export async function runAll<Outcome>(
  tasks: (() => Promise<Outcome>)[],
  atOnce: number,
): Promise<Outcome[]> {
  const limit = pLimit(atOnce);
  const failures: unknown[] = [];
  const run = async (task: () => Promise<Outcome>) => {
    if (failures.length > 0) return;
    try {
      return await task();
    } catch (error) {
      failures.push(error);
    }
  };
  const outcomes = await Promise.all(tasks.map((task) => limit(run, task)));
  if (failures.length > 0) throw failures[0];
  return outcomes as Outcome[];
}
