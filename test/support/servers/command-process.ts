import { readFileSync } from 'node:fs';
import { type ResolveFnOutput, registerHooks, stripTypeScriptTypes } from 'node:module';
import { fileURLToPath } from 'node:url';

// Runs operators' commands, one after another, for tests that have many. Each loads the project's modules anew, as a process
// of its own does, but finds them and takes their types out once; the modules of `node_modules` stay.

const root = new URL('../../..', import.meta.url).href;
const packages = new URL('node_modules/', root).href;
let command = 0;
/** What modules of the project import, by the importing module and the name that it gives. */
const imported = new Map<string, ResolveFnOutput>();
/** The project's files without their types. */
const plain = new Map<string, string>();

const isOfProject = (url: string) => url.startsWith(root) && !url.startsWith(packages);
const fileOf = (url: string) => url.split('?command=', 1)[0] as string;

registerHooks({
  resolve(specifier, context, nextResolve) {
    const importer = fileOf(context.parentURL ?? '');
    const name = `${specifier} ${importer}`;
    const found = imported.get(name) ?? nextResolve(specifier, context);
    if (isOfProject(importer)) imported.set(name, found);
    const url = isOfProject(found.url) ? `${found.url}?command=${command}` : found.url;
    return { ...found, url, shortCircuit: true };
  },

  load(url, context, nextLoad) {
    const file = fileOf(url);
    if (file === url || !file.endsWith('.ts')) return nextLoad(url, context);
    const source =
      plain.get(file) ?? stripTypeScriptTypes(readFileSync(fileURLToPath(file), 'utf8'));
    plain.set(file, source);
    return { format: 'module', source, shortCircuit: true };
  },
});

/** A command to run: its file, such as `bin/keys.ts`, and all of its environment. */
export interface Command {
  file: string;
  args: string[];
  env: Record<string, string>;
}

async function run({ file, args, env }: Command) {
  command += 1;
  for (const name of Object.keys(process.env)) delete process.env[name];
  Object.assign(process.env, env);
  process.argv.splice(2, process.argv.length, ...args);
  process.exitCode = 0;
  const printed = { stdout: printedTo('stdout'), stderr: printedTo('stderr') };
  try {
    await import(`${root}${file}`);
  } catch (error) {
    console.error(error);
    process.exitCode = 1;
  }
  for (const name of ['uncaughtExceptionMonitor', 'SIGINT']) process.removeAllListeners(name);
  const { stdout, stderr } = printed;
  return { code: process.exitCode, stdout: stdout.join(''), stderr: stderr.join('') };
}

/** Keeps what is written to a stream from now on. */
function printedTo(stream: 'stdout' | 'stderr'): string[] {
  const printed: string[] = [];
  process[stream].write = (chunk: string | Uint8Array, ...rest: unknown[]) => {
    printed.push(String(chunk));
    const written = rest.find((each) => typeof each === 'function') as (() => void) | undefined;
    if (written) process.nextTick(written);
    return true;
  };
  return printed;
}

process.on('message', async (message: Command) => process.send?.(await run(message)));
process.on('disconnect', () => process.exit());
