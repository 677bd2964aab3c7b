import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { processesOf, startedBy } from './processes.ts';

/** An address of this machine where a process listens. */
export interface Listener {
  address: string;
  port: number;
}

/**
 * Returns where the processes of the stage with this data folder listen, by IPv4.
 *
 * @see https://www.kernel.org/doc/html/latest/networking/proc_net_tcp.html
 */
export function listenersOf(dataDir: string): Listener[] {
  const processes = processesOf(dataDir).flatMap((id) => [id, ...startedBy(id)]);
  const inodes = new Set(processes.flatMap(socketsOf));
  return readFileSync('/proc/net/tcp', 'utf8')
    .split('\n')
    .flatMap((line) => {
      const [, local = '', , state, , , , , , inode = ''] = line.trim().split(/\s+/);
      const [address = '', port = ''] = local.split(':');
      const listens = state === '0A' && inodes.has(inode);
      return listens ? { address: dotted(address), port: Number.parseInt(port, 16) } : [];
    });
}

/** The bytes of an address stand in the order of the machine's, which is an x64. */
const dotted = (hex: string) => Buffer.from(hex, 'hex').toReversed().join('.');

function socketsOf(id: number): string[] {
  try {
    return readdirSync(`/proc/${id}/fd`).flatMap((fd) => {
      const [, inode] = link(`/proc/${id}/fd/${fd}`).match(/^socket:\[(\d+)\]$/) ?? [];
      return inode ?? [];
    });
  } catch {
    return [];
  }
}

/** Reads a link of a process; nothing if it is gone. */
function link(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return '';
  }
}
