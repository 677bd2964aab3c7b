import pLimit from 'p-limit';

/**
 * Runs tasks, so many at once, and returns their outcomes in order. After a failure no further task begins;
 * those under way are awaited, then the first failure is thrown.
 */
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
