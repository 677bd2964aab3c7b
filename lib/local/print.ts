let lines: string[] = [];

/** Prints a line together with others of the same moment, as each write to a pipe waits for the pipe. */
export function print(line: string): void {
  if (lines.push(line) === 1) setImmediate(printAll);
}

function printAll(): void {
  if (lines.length > 0) process.stdout.write(`${lines.join('\n')}\n`);
  lines = [];
}

process.on('exit', printAll);
