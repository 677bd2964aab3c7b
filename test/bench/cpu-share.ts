import { mkdirSync, readlinkSync, writeFileSync } from 'node:fs';
import { memoryOfOneCpuMb } from '../lab/cost/prices.ts';

// Gives each function's thread of a stage the processor that Lambda gives a function of some memory, by a cgroup of
// its own: node --import "./test/bench/cpu-share.ts?mb=512" …
// It needs Linux with cgroups of the first version, and leave to make them.

/** Lambda counts in periods of 20 ms. */
const periodUs = 20_000;

const name = process.env['AWS_LAMBDA_FUNCTION_NAME'];
const memoryMb = Number(new URL(import.meta.url).searchParams.get('mb'));
if (name && memoryMb > 0) {
  const task = readlinkSync('/proc/thread-self').split('/').at(-1) ?? '';
  const group = `/sys/fs/cgroup/cpu/quire-${process.pid}-${task}`;
  mkdirSync(group);
  const share = Math.min(1, memoryMb / memoryOfOneCpuMb);
  writeFileSync(`${group}/cpu.cfs_period_us`, String(periodUs));
  writeFileSync(`${group}/cpu.cfs_quota_us`, String(Math.round(periodUs * share)));
  writeFileSync(`${group}/tasks`, task);
}
