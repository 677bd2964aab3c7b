/** Has lines of the same moment written together: a pipe is waited for at each write, and a thread's lines are messages. */
export function gatherLines(stream: NodeJS.WriteStream): void {
  const write = stream.write.bind(stream);
  let isGathering = false;
  const end = () => {
    isGathering = false;
    stream.uncork();
  };
  stream.write = ((...args: Parameters<typeof write>) => {
    if (!isGathering) {
      isGathering = true;
      stream.cork();
      setImmediate(end);
    }
    return write(...args);
  }) as typeof write;
  process.on('exit', end);
}
