import * as v from 'valibot';
import { readValues } from '../lib/cli/arguments.ts';
import { feedbackCommands } from '../lib/cli/feedback/commands.ts';
import { describeSummary } from '../lib/cli/feedback/report.ts';
import { runCommand } from '../lib/cli/run.ts';
import { reach } from '../lib/cli/target.ts';
import { exportFeedback } from '../shared/feedback/ratings.ts';
import { summarizeFeedback } from '../shared/feedback/summary.ts';
import { lastDays } from '../shared/usage/day.ts';

const expected = ({ input }: v.BaseIssue<unknown>) =>
  `takes a whole number from 1 to 400, not "${input}"`;

const DaysOption = v.object({
  days: v.optional(
    v.pipe(
      v.string(),
      v.regex(/^[1-9]\d{0,2}$/, expected),
      v.transform(Number),
      v.maxValue(400, expected),
    ),
    '30',
  ),
});

await runCommand(feedbackCommands, {
  async summary({ values }) {
    const { days } = readValues(DaysOption, values);
    await reach(values, 'FEEDBACK_TABLE', 'KEYS_TABLE', 'USAGE_TABLE');
    const summary = await summarizeFeedback(lastDays(days));
    return { json: summary, text: describeSummary(summary) };
  },

  async export({ values }) {
    const { days } = readValues(DaysOption, values);
    await reach(values, 'FEEDBACK_TABLE');
    return { lines: exportFeedback(lastDays(days)) };
  },
});
