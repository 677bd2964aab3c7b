import type { LookupAddress } from 'node:dns';
import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { setting } from '../config.ts';
import { UnreadableError } from './page.ts';

/** Finds all addresses of a name. */
export type Resolve = (hostname: string) => Promise<LookupAddress[]>;

export const resolveName: Resolve = (hostname) => lookup(hostname, { all: true });

/** Longer ones are traps more often than pages. */
const maxUrlCharacters = 2_048;

/** The URL parser leaves out a scheme's own port. */
const ports = ['', '80', '443'];

/**
 * Azure's virtual machines reach their host by this one, which looks like any public address.
 * @see https://learn.microsoft.com/en-us/azure/virtual-network/what-is-ip-address-168-63-129-16
 */
const azureHost = '168.63.129.16';

/**
 * All that is assigned to public hosts; IPv6 addresses outside of it may stand for IPv4 ones.
 * @see https://www.iana.org/assignments/ipv6-address-space/ipv6-address-space.xhtml
 */
const globalUnicast = ipaddr.IPv6.parseCIDR('2000::/3');

/** Reads a URL as browsers do. Throws `forbidden_address` if it is none, or is too long. */
export function parseUrl(text: string, base?: URL): URL {
  const url = URL.parse(text, base?.href);
  if (!url || url.href.length > maxUrlCharacters) throw new UnreadableError('forbidden_address');
  url.hash = '';
  return url;
}

/**
 * Returns a URL's address to connect to. Throws `forbidden_address` unless all of its addresses are public,
 * `unreachable` if there is none.
 */
export async function checkAddress(url: URL, resolve: Resolve): Promise<LookupAddress> {
  const isLocal = url.origin === setting('READ_PAGE_LOCAL_ORIGIN');
  if (!isWeb(url) || !(isLocal || ports.includes(url.port))) {
    throw new UnreadableError('forbidden_address');
  }
  const addresses = await addressesOf(hostOf(url), resolve);
  if (!isLocal && !addresses.every(({ address }) => isPublic(address))) {
    throw new UnreadableError('forbidden_address');
  }
  // Lambda reaches no IPv6 address from outside a VPC.
  const address = addresses.find(({ family }) => family === 4) ?? addresses[0];
  if (!address) throw new UnreadableError('unreachable');
  return address;
}

/** Returns a URL's host; an IPv6 address is without its brackets. */
export const hostOf = ({ hostname }: URL) => hostname.replace(/^\[(.*)\]$/, '$1');

/** Whether an address is a public host's: not reserved for a use, and not standing for another address. */
export function isPublic(address: string): boolean {
  // A zone names a network interface of this machine.
  if (!isIP(address) || address.includes('%') || address === azureHost) return false;
  const ip = ipaddr.parse(address);
  return ip.range() === 'unicast' && (ip.kind() === 'ipv4' || ip.match(globalUnicast));
}

function isWeb({ protocol, username, password }: URL): boolean {
  return (protocol === 'http:' || protocol === 'https:') && username === '' && password === '';
}

/** Returns the addresses of a host. A literal address needs no resolver, and Node asks a connection's `lookup` for none. */
async function addressesOf(host: string, resolve: Resolve): Promise<LookupAddress[]> {
  const family = isIP(host);
  if (family) return [{ address: host, family }];
  try {
    return await resolve(host);
  } catch (error) {
    throw new UnreadableError('unreachable', { cause: error });
  }
}
