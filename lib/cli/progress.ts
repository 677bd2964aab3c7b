const everyMs = 1000;

type ProgressStream = Pick<NodeJS.WriteStream, 'write' | 'isTTY'>;

/**
 * Tells a long work's progress on stderr once a second, on one line of a terminal. `note` is told how much is done,
 * and more in words; `end` clears it.
 */
export function progress(what: string, total?: number, stream: ProgressStream = process.stderr) {
  let toldAtMs = Date.now();
  let told = '';
  const end = () => void (told && stream.isTTY && stream.write('\r\u001b[K'));
  return {
    note(done: number, more = ''): void {
      const ofAll = total === undefined ? '' : ` of ${total}`;
      const line = `${what}: ${done}${ofAll}${stream.isTTY ? more : ''}`;
      const isNews = stream.isTTY || (done > 0 && line !== told);
      if (Date.now() - toldAtMs < everyMs || !isNews) return;
      toldAtMs = Date.now();
      told = line;
      const bar = total === undefined ? '' : `${barOf(done / total)} `;
      stream.write(stream.isTTY ? `\r${bar}${line}\u001b[K` : `${line}\n`);
    },
    end,
  };
}

const barWidth = 20;

function barOf(share: number): string {
  const filled = Math.round(barWidth * Math.min(1, share || 0));
  return `${'█'.repeat(filled)}${'░'.repeat(barWidth - filled)}`;
}
