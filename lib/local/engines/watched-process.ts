import { type ChildProcess, spawn } from 'node:child_process';

/**
 * Runs a command until the process that started it ends: `cat` reads a pipe that closes however that happens, then
 * the command is killed. The first argument is a folder to remove, or empty. The trap silences the shell's own
 * message, which could kill it.
 */
const watchedCommand = `trap '' PIPE; folder=$1; shift; "$@" </dev/null & child=$!
  (cat >/dev/null; kill $child 2>/dev/null) <&3 & wait $child; code=$?
  [ -z "$folder" ] || rm -rf "$folder"; exit $code`;

interface WatchedOptions {
  env?: NodeJS.ProcessEnv;
  /** A folder that is removed when the command has ended. */
  temporary?: string;
}

/** Starts a command that ends with this process, however that ends, or when its `stdio[3]` is destroyed. */
export const spawnWatched = (
  command: string[],
  { env = process.env, temporary = '' }: WatchedOptions = {},
): ChildProcess =>
  spawn('/bin/sh', ['-c', watchedCommand, 'sh', temporary, ...command], {
    env,
    stdio: ['ignore', 'ignore', 'pipe', 'pipe'],
    detached: true,
  });
