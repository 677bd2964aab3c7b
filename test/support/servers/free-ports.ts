import { once } from 'node:events';
import { createServer } from 'node:net';

/**
 * Finds ports below those that the system gives to connections, so that nobody takes them until they are used. The same
 * position, from 0 to 1, finds the same ports while they are free.
 */
export async function freePorts(count: number, position = Math.random()): Promise<number[]> {
  const ports: number[] = [];
  for (let port = 20_000 + Math.floor(position * 8_000); ports.length < count; port += 1) {
    if (await isFree(port)) ports.push(port);
  }
  return ports;
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer();
  try {
    await once(server.listen(port, '127.0.0.1'), 'listening');
    return true;
  } catch {
    return false;
  } finally {
    server.close();
  }
}
