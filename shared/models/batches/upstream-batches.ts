import OpenAI from 'openai';
import { setting } from '../../config.ts';
import { type Model, takingBatches } from '../catalogue.ts';
import type { DialectName } from '../dialect-names.ts';
import { credentialsFor } from '../upstream-credentials.ts';
import { spokenBy } from '../upstreams/request-in-dialect.ts';
import { upstreamNamed } from '../upstreams/upstream.ts';
import { anthropicBatches } from './anthropic-batches.ts';
import { openaiBatches } from './openai-batches.ts';
import type { BatchProtocol } from './protocol.ts';

/** Where the batches of a model are handed on to. */
export interface BatchUpstream {
  upstream: string;
  /** What the model is called there. */
  model: string;
  /** The dialects in which requests of a batch are told. */
  spoken: readonly DialectName[];
}

const protocols = { openai: openaiBatches, anthropic: anthropicBatches };

/** The first upstream of a model that takes batches; undefined if none does. */
export function batchUpstreamOf(asked: Model): BatchUpstream | undefined {
  const taking = takingBatches(asked);
  if (!taking) return undefined;
  const { upstream, model, dialects, protocol } = taking;
  const spoken = dialects ?? spokenBy(upstream);
  return { upstream, model, spoken: protocol === 'anthropic' ? ['messages'] : spoken };
}

/** The protocol of the batches of an upstream that takes some. */
export function protocolOf(upstream: string): BatchProtocol {
  const kind = upstreamNamed(upstream).batches;
  if (!kind) throw new Error(`The upstream ${upstream} takes no batches`);
  return protocols[kind];
}

/** The longest time until a response begins: a file of 200 MB has been sent by then. */
const timeoutMs = 10 * 60_000;

/** Returns what asks an upstream about its batches. It repeats nothing by itself. */
export async function batchClientOf(upstream: string): Promise<OpenAI> {
  const described = upstreamNamed(upstream);
  return new OpenAI({
    ...(await credentialsFor(described)),
    baseURL: setting('OPENAI_BASE_URL') ?? described.baseUrl,
    maxRetries: 0,
    timeout: timeoutMs,
    logLevel: 'off',
  });
}
