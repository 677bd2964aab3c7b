let lines: string[] = [];

/** Prints a line, with those of the same moment: where a pipe takes them, each write of its own waits for that. */
export function print(line: string): void {
  if (lines.push(line) === 1) setImmediate(printAll);
}

function printAll(): void {
  if (lines.length > 0) process.stdout.write(`${lines.join('\n')}\n`);
  lines = [];
}

process.on('exit', printAll);
