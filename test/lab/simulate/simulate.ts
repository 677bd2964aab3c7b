import { parseOptions } from '../../../lib/cli/command-line.ts';
import { describeSimulation } from './report.ts';
import { type SimulationOptions, simulate } from './simulation.ts';

const help = `Runs calls through the ledger's own code on a DynamoDB and a Lambda in memory, with their limits, in virtual time.

  npm run simulate -- [options]

  --rate 10000           calls a second
  --keys 1000            keys
  --hottest 0.1          the part of the calls that one key makes
  --team                 all keys are in one team
  --minutes 10           how long calls come; audits are waited for afterwards
  --sample 0.1           simulate this part of the calls, against this part of each limit; by default 100,000
                         calls at most
  --call-seconds 3       how long an upstream takes, in the mean
  --concurrency 100000   Lambda's quota of functions at once (quire:concurrency)
  --sandbox-calls 1      calls that one sandbox serves at once
  --sweeps 1             how many sweeps there are each minute (quire:sweeps)
  --warm                 all sandboxes are there at the beginning; otherwise 1,000 more each ten seconds
  --gateway-rate 10000   API Gateway's quota of requests a second
  --table-units 40000    DynamoDB's quota of write units a second, of the ledger's table
  --split-minutes 5      how long a key's partition is throttled until its account has one of its own
  --faults 0.0001        the part of DynamoDB's answers that are lost
  --deaths 0.0001        the part of the calls whose sandbox dies with them
  --set NAME=value       a variable of the function's environment; may come several times
  --json                 print one JSON object; npm run --silent prints nothing else
  --help                 show this

It ends with 1 if money was overspent, or a charge is lost.
`;

/** So many take two or three minutes. */
const mostCalls = 100_000;

process.on('SIGINT', () => process.exit(130));
process.on('SIGTERM', () => process.exit(143));

try {
  process.exitCode = await main();
} catch (error) {
  console.error(error);
  process.exitCode = 1;
}

async function main(): Promise<number> {
  const { values } = readOptions();
  if (values.help) {
    process.stdout.write(help);
    return 0;
  }
  const [rate, minutes] = [number(values.rate), number(values.minutes)];
  const sample = values.sample
    ? number(values.sample)
    : Math.min(1, mostCalls / (rate * minutes * 60));
  const options: SimulationOptions = {
    rate,
    minutes,
    sample,
    keys: number(values.keys),
    hottest: number(values.hottest),
    inTeam: values.team,
    callSeconds: number(values['call-seconds']),
    concurrency: number(values.concurrency),
    sandboxCalls: number(values['sandbox-calls']),
    sweeps: number(values.sweeps),
    warm: values.warm,
    gatewayRate: number(values['gateway-rate']),
    tableUnits: number(values['table-units']),
    splitMinutes: number(values['split-minutes']),
    faults: number(values.faults),
    deaths: number(values.deaths),
    environment: Object.fromEntries(
      (values.set ?? []).map((each) => [each.replace(/=.*/s, ''), each.replace(/^[^=]*=/, '')]),
    ),
  };
  const run = await simulate(options, (line) => process.stderr.write(`${line}\n`));
  process.stdout.write(describeSimulation(options, run, values.json));
  return run.books.overspent + run.books.lost + run.books.different > 0 ? 1 : 0;
}

function readOptions() {
  const text = (value: string) => ({ type: 'string', default: value }) as const;
  return parseOptions(
    {
      options: {
        rate: text('10000'),
        keys: text('1000'),
        hottest: text('0.1'),
        team: { type: 'boolean', default: false },
        minutes: text('10'),
        sample: { type: 'string' },
        'call-seconds': text('3'),
        concurrency: text('100000'),
        'sandbox-calls': text('1'),
        sweeps: text('1'),
        warm: { type: 'boolean', default: false },
        'gateway-rate': text('10000'),
        'table-units': text('40000'),
        'split-minutes': text('5'),
        faults: text('0.0001'),
        deaths: text('0.0001'),
        set: { type: 'string', multiple: true },
        json: { type: 'boolean', default: false },
        help: { type: 'boolean', short: 'h', default: false },
      },
    },
    'npm run simulate -- --help lists the options',
  );
}

function number(text: string): number {
  const value = Number(text);
  if (!Number.isFinite(value) || value < 0) throw new Error(`${text} is no number of 0 or more`);
  return value;
}
