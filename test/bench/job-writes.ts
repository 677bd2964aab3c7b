import { callerOf, chatJob, workDuring } from '../../lib/cost/runs.ts';
import { startCountedStage } from './counted-stage.ts';

// Counts the write units of a chat job by the size of its messages and the time that its model takes, which renews
// its lease each ten seconds. node test/bench/job-writes.ts

const count = 5;
const { stage, apiKey, close } = await startCountedStage();
const caller = callerOf(stage.baseUrl, apiKey);
await caller.runJobs(2, chatJob(100, 0));
for (const [title, bytes] of [
  ['2 KB', 2_000],
  ['95 KB', 95_000],
] as const) {
  for (const seconds of [5, 60]) {
    const work = await workDuring(stage, count, () =>
      caller.runJobs(count, chatJob(bytes, seconds)),
    );
    const units = Object.entries(work).map(([name, { writeUnits }]) => [name, writeUnits] as const);
    const puts = work['submit-job']?.calls['s3 PUT'] ?? 0;
    const all = units.reduce((sum, [, each]) => sum + each, 0);
    const parts = units.filter(([, each]) => each > 0).map(([name, each]) => `${name} ${each}`);
    console.log(
      `${title}, ${seconds} s: ${all.toFixed(1)} write units, ${puts} objects put (${parts.join(', ')})`,
    );
  }
}
await close();
process.exit();
