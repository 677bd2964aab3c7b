import { usualTokens } from '../../../../chat/plan-hold.ts';
import { atBatchPrice } from '../../../../models/batches/batch-price.ts';
import { batchUpstreamOf, protocolOf } from '../../../../models/batches/upstream-batches.ts';
import { type Model, takingBatches } from '../../../../models/catalogue.ts';
import { costBounds, type SizedRequest } from '../../../../models/token-bounds.ts';
import { toldIn } from '../../../../models/upstreams/request-in-dialect.ts';
import { wires } from '../../../../models/upstreams/wires.ts';
import type { Job } from '../../../engine/item/job.ts';
import type { FileLine, RequestsJob } from '../../requests/file-line.ts';
import { type LineRequest, readLine } from '../../requests/read-line.ts';

/** A line of a batch as it is handed on. */
export interface HandedLine {
  line: FileLine;
  request: LineRequest;
  /** The model at the price of its batches. */
  model: Model;
  upstream: string;
  /** What the model is called there. */
  upstreamModel: string;
  /** The request as it is measured, without what limits it for the budget's sake. */
  sized: SizedRequest;
}

/** Reads a line; undefined if it isn't one that is handed on. */
export function handedLine(line: FileLine): HandedLine | undefined {
  const request = readLine(line);
  if ('wrong' in request || !isHandedOn(line.job, request.model)) return undefined;
  const at = batchUpstreamOf(request.model);
  if (!at) return undefined;
  const { upstream, model: upstreamModel } = at;
  const sized = wires[request.dialect].sized(request.body);
  return { line, request, model: atBatchPrice(request.model), upstream, upstreamModel, sized };
}

/** The limit that a line's output gets where its part of the batch is limited; undefined if it has one, or needs none. */
function limitOf({ sized, model }: HandedLine): number | undefined {
  const usual = usualTokens(model);
  return sized.max_tokens || usual >= model.maxOutputTokens ? undefined : usual;
}

/** The most that a line can cost at the price of batches, in nano-dollars. */
export const holdOf = (handed: HandedLine, isLimited: boolean): number =>
  costBounds(handed.model, handed.sized).maxNanoUsd(isLimited ? limitOf(handed) : undefined);

/**
 * Translates a line's request for its upstream, without our temperature: a model that refuses one can't be asked
 * again within a batch. Throws `ServiceError` for a request that the upstream's dialect can't express.
 */
export function toldOf(handed: HandedLine, isLimited: boolean) {
  const { request, upstream, upstreamModel } = handed;
  const { dialect, model } = request;
  const limit = isLimited ? limitOf(handed) : undefined;
  const body = {
    ...request.body,
    model: upstreamModel,
    ...(limit !== undefined && { [wires[dialect].limitName]: limit }),
  };
  const spoken = batchUpstreamOf(model)?.spoken ?? [];
  return toldIn(spoken, model, upstream, { dialect, body });
}

/** The route of a line in its upstream's batches. */
export const urlOf = (handed: HandedLine) => `/v1${wires[toldOf(handed, false).dialect].path}`;

/** A line as its upstream's batch has it. */
export function writtenLine(handed: HandedLine, isLimited: boolean, tag: string): string {
  const { dialect, body } = toldOf(handed, isLimited);
  const id = `${tag}-${handed.line.number}`;
  const url = `/v1${wires[dialect].path}`;
  return JSON.stringify(protocolOf(handed.upstream).lineOf(id, url, body));
}

/** The name by which the upstream's batch of one part of a job's lines is found again. */
export const tagOf = ({ job_id }: Job, part: string) =>
  `${job_id.replace(/^job_|-/g, '')}-${part.slice('part_'.length)}`;

/** The number of the line that a result is of; undefined if it is none of ours. */
export function numberIn(customId: string, tag: string): number | undefined {
  const number = customId.startsWith(`${tag}-`) ? customId.slice(tag.length + 1) : '';
  return /^[1-9]\d{0,8}$/.test(number) ? Number(number) : undefined;
}

/** Whether a line of a batch that asks a model is handed on to a batch of the model's upstream. */
function isHandedOn({ endpoint, metadata }: RequestsJob, model: Model): boolean {
  if (!endpoint || !takingBatches(model)) return false;
  return (metadata?.['via'] ?? model.batchVia) === 'upstream';
}

/** Whether a batch asks for what no upstream of a model can do. */
export const cannotHandOn = ({ metadata }: Pick<Job, 'metadata'>, model: Model): boolean =>
  metadata?.['via'] === 'upstream' && !takingBatches(model);

/** Whether lines that fail at the upstream are asked here. */
export const triesHere = ({ metadata }: Job) => metadata?.['on_failure'] === 'here';
