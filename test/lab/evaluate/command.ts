import { fork } from 'node:child_process';
import { once } from 'node:events';
import { progress } from '../../../lib/cli/progress.ts';
import { inSentences } from '../../../lib/cli/run.ts';
import { evaluate } from './evaluate.ts';
import { describeReport, leastOf, reportRecord } from './evaluation-text.ts';
import { readExpected } from './expected.ts';
import { type EvaluateOptions, evaluateHelp, readOptions, serviceOf } from './options.ts';

await inSentences(async () => {
  const read = readOptions(process.argv.slice(2));
  if ('help' in read) process.stdout.write(evaluateHelp);
  else if ('script' in read) await runScript(read.script, read.args);
  else await run(read.options);
});

async function run(options: EvaluateOptions): Promise<void> {
  const service = serviceOf(options, process.env['QUIRE_KEY']);
  const documents = await readExpected(options.folder);
  const { note, end } = progress('documents', documents.length);
  const report = await evaluate(service, options.folder, documents, options, note);
  end();
  console.log(
    options.json ? JSON.stringify(reportRecord(report), null, 2) : describeReport(report),
  );
  const least = leastOf(report.total);
  if (options.min === undefined || least >= options.min) return;
  console.error(
    `The least of precisions and recalls is ${least.toFixed(3)}, below ${options.min}.`,
  );
  process.exitCode = 1;
}

/** The sets are the tests', and what draws them is not installed in production: they run by themselves. */
async function runScript(script: string, args: string[]): Promise<void> {
  const child = fork(new URL(script, import.meta.url), args);
  const [code] = await once(child, 'exit');
  process.exitCode = code ?? 1;
}
