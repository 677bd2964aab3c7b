import { connect } from 'node:net';
import { networkInterfaces } from 'node:os';
import { expect, it } from 'vitest';
import { shared } from '../../support/run/shared.ts';
import { listenersOf } from '../../support/servers/listeners.ts';
import { statusOf } from './status-of.ts';

const { dataDir, base_url } = await shared('stage');
const gatewayPort = Number(new URL(base_url).port);

/** Addresses of this machine that no listener on 127.0.0.1 has. Linux takes all of 127.0.0.0/8 for its own. */
const otherAddresses = [
  '127.0.0.2',
  ...Object.values(networkInterfaces())
    .flatMap((addresses) => addresses ?? [])
    .filter(({ internal, family }) => !internal && family === 'IPv4')
    .map(({ address }) => address),
];

it('lets nobody reach a server of the stage by another address of the machine', async () => {
  const ports = listenersOf(dataDir).map(({ port }) => port);

  const reached = await Promise.all(
    otherAddresses.flatMap((address) =>
      ports.map(async (port) => ((await isOpen(address, port)) ? `${address}:${port}` : [])),
    ),
  );

  expect(ports).toContain(gatewayPort);
  // The gateway, the engines that AWS's clients call, the drive, the web and the model.
  expect(ports.length).toBeGreaterThanOrEqual(8);
  expect(reached.flat()).toEqual([]);
});

it('has its DynamoDB, which asks for nothing, at an address that no page can guess', () => {
  const hidden = listenersOf(dataDir).filter(({ address }) => address !== '127.0.0.1');

  expect(hidden).toEqual([
    {
      address: expect.stringMatching(/^127\.[1-9]\d*\.[1-9]\d*\.[1-9]\d*$/),
      port: expect.any(Number),
    },
  ]);
});

it.each([
  ['a page of another origin', { origin: 'https://elsewhere.example' }],
  ['the preflight of one', { origin: 'null', 'access-control-request-method': 'POST' }],
  ['a name that leads here', { host: 'elsewhere.example:80' }],
  [
    'a page that shows it as its own',
    { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors' },
  ],
])('answers %s at no port but the gateway’s', async (_, headers) => {
  const ports = listenersOf(dataDir)
    .filter(({ address, port }) => address === '127.0.0.1' && port !== gatewayPort)
    .map(({ port }) => port);

  const statuses = await Promise.all(
    ports.flatMap((port) =>
      ['GET', 'POST', 'OPTIONS'].map((method) =>
        statusOf(`http://127.0.0.1:${port}`, { method, headers }),
      ),
    ),
  );

  expect(statuses.length).toBeGreaterThanOrEqual(8 * 3);
  expect(new Set(statuses)).toEqual(new Set([403]));
});

function isOpen(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host, port });
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });
}
