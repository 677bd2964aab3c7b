import { styleText } from 'node:util';

type Style = Parameters<typeof styleText>[0];

/** Prints what happens in the stage: a readable line for each event. */
export class Narrator {
  private readonly write: (line: string) => void;

  constructor(write: (line: string) => void) {
    this.write = write;
  }

  request(method: string, path: string, status: number, ms: number): void {
    const style: Style = status >= 500 ? 'red' : status >= 400 ? 'yellow' : 'green';
    this.line(styleText(style, String(status)), `${method} ${path}  ${Math.round(ms)} ms`);
  }

  /**
   * Prints a line that a function wrote. One of JSON is made readable; the function's own request lines and its
   * metrics are left out.
   */
  functionLine(name: string, text: string): void {
    const entry = parse(text);
    if (!entry) {
      this.line(name, text);
      return;
    }
    const { level, message, stack, key_id: _, function: __, ...fields } = entry;
    if (message === 'request' || '_aws' in fields) return;
    const style: Style = level === 'error' ? 'red' : level === 'warn' ? 'yellow' : 'cyan';
    const details = Object.entries(fields).map(([key, value]) => `${key}=${value}`);
    this.line(styleText(style, String(message)), [...details, stack ?? ''].join(' '));
  }

  /** Prints what a change of a source file led to. */
  codeChanged(text: string): void {
    this.line(styleText('cyan', 'code'), text);
  }

  functionCrashed(name: string, error: Error): void {
    this.line(styleText('red', 'crash'), `${name}: ${error.stack ?? error.message}`);
  }

  problem(text: string): void {
    this.line(styleText('red', 'problem'), text);
  }

  private line(head: string, text: string): void {
    const time = new Date().toTimeString().slice(0, 8);
    this.write(`${styleText('dim', time)} ${head} ${text}`.trimEnd());
  }
}

function parse(text: string): Record<string, unknown> | undefined {
  if (!text.startsWith('{')) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
