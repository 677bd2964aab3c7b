import { type ChildProcess, spawn } from 'node:child_process';

/**
 * Runs a command until the process that started it ends: `cat` reads a pipe that closes however that happens, and is started
 * again when a signal has killed it; then its process group is ended. The first argument is a folder to remove, or empty; the second whether the command is
 * started again when a signal has killed it, or empty. The trap silences the shell's own message, which could kill it.
 */
const watchedCommand = `trap '' PIPE; folder=$1; again=$2; shift 2
  (trap '' TERM; while cat >/dev/null; [ $? -gt 128 ]; do :; done; kill -- -$$ 2>/dev/null) <&3 &
  trap 'again=' TERM
  while :; do
    "$@" </dev/null & child=$!
    while wait $child; code=$?; kill -0 $child 2>/dev/null; do :; done
    [ -n "$again" ] && [ $code -gt 128 ] || break
  done
  [ -z "$folder" ] || rm -rf "$folder"; exit $code`;

interface WatchedOptions {
  env?: NodeJS.ProcessEnv;
  /** A folder that is removed when the command has ended. */
  temporary?: string;
  /** Whether it is started again when a signal has killed it. */
  restarts?: boolean;
}

/** Starts a command that ends with this process, also if that is killed, or when its `stdio[3]` is destroyed. */
export const spawnWatched = (
  command: string[],
  { env = process.env, temporary = '', restarts = false }: WatchedOptions = {},
): ChildProcess =>
  spawn('/bin/sh', ['-c', watchedCommand, 'sh', temporary, restarts ? '1' : '', ...command], {
    env,
    stdio: ['ignore', 'ignore', 'pipe', 'pipe'],
    detached: true,
  });
