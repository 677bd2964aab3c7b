const everyMs = 2_000;

/** Returns a function that says on standard error how far long work has come, each two seconds at most. */
export function progressEvery<Progress>(say: (progress: Progress) => string) {
  let dueMs = Date.now() + everyMs;
  return (progress: Progress) => {
    if (Date.now() < dueMs) return;
    dueMs = Date.now() + everyMs;
    console.error(say(progress));
  };
}
