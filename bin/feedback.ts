import { daysOption, readValues } from '../lib/cli/arguments.ts';
import { feedbackCommands } from '../lib/cli/feedback/commands.ts';
import { describeSummary } from '../lib/cli/feedback/feedback-text.ts';
import { runCommand } from '../lib/cli/run.ts';
import { reach } from '../lib/cli/target.ts';
import { exportFeedback } from '../shared/feedback/ratings.ts';
import { summarizeFeedback } from '../shared/feedback/summary.ts';
import { lastDays } from '../shared/usage/day.ts';

const DaysOption = daysOption('30');

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
