import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { connect } from 'node:net';
import { networkInterfaces } from 'node:os';
import { expect, it } from 'vitest';
import { shared } from '../../support/run/shared.ts';
import { processesOf } from '../../support/servers/processes.ts';

const { dataDir, base_url } = await shared('stage');

/** Addresses of this machine that no listener on 127.0.0.1 has. Linux takes all of 127.0.0.0/8 for its own. */
const otherAddresses = [
  '127.0.0.2',
  ...Object.values(networkInterfaces())
    .flatMap((addresses) => addresses ?? [])
    .filter(({ internal, family }) => !internal && family === 'IPv4')
    .map(({ address }) => address),
];

it('lets nobody reach a server of the stage by another address of the machine', async () => {
  const ports = portsOf(withDescendants(processesOf(dataDir)));

  const reached = await Promise.all(
    otherAddresses.flatMap((address) =>
      ports.map(async (port) => ((await isOpen(address, port)) ? `${address}:${port}` : [])),
    ),
  );

  expect(ports).toContain(Number(new URL(base_url).port));
  // The gateway, the engines that AWS's clients call, the drive, the web and the model.
  expect(ports.length).toBeGreaterThanOrEqual(8);
  expect(reached.flat()).toEqual([]);
});

function isOpen(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host, port });
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });
}

/** Adds the processes that these have started, and those that they have. */
function withDescendants(processes: number[]): number[] {
  const parents = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((id) => [Number(id), parentOf(id)] as const);
  const found = new Set(processes);
  for (let size = 0; size < found.size; ) {
    size = found.size;
    for (const [id, parent] of parents) if (found.has(parent)) found.add(id);
  }
  return [...found];
}

const parentOf = (id: string) => Number(read(`/proc/${id}/status`).match(/^PPid:\s+(\d+)$/m)?.[1]);

/**
 * The ports that processes listen on.
 * @see https://www.kernel.org/doc/html/latest/networking/proc_net_tcp.html
 */
function portsOf(processes: number[]): number[] {
  const inodes = new Set(processes.flatMap(socketsOf));
  const lines = ['tcp', 'tcp6'].flatMap((table) => read(`/proc/net/${table}`).split('\n'));
  return lines.flatMap((line) => {
    const [, local = '', , state, , , , , , inode = ''] = line.trim().split(/\s+/);
    const listens = state === '0A' && inodes.has(inode);
    return listens ? Number.parseInt(local.split(':')[1] ?? '', 16) : [];
  });
}

function socketsOf(id: number): string[] {
  try {
    return readdirSync(`/proc/${id}/fd`).flatMap(
      (fd) => link(`/proc/${id}/fd/${fd}`).match(/^socket:\[(\d+)\]$/)?.[1] ?? [],
    );
  } catch {
    return [];
  }
}

/** Reads a file of a process; nothing if the process has ended. */
function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

function link(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return '';
  }
}
