import { takingBatches } from '../../../../models/batches/takes-batches.ts';
import { batchVias, type Model } from '../../../../models/catalogue.ts';
import type { Job } from '../../../engine/item/job.ts';
import type { RequestsJob } from '../../requests/file-line.ts';

/** What a batch may say of where its lines are asked. */
export const vias: readonly string[] = batchVias;

/** Whether a line of a batch that asks a model is handed on to a batch of the model's upstream. */
export function isHandedOn({ endpoint, metadata }: RequestsJob, model: Model): boolean {
  if (!endpoint || !takingBatches(model)) return false;
  return (metadata?.['via'] ?? model.batchVia) === 'upstream';
}

/** Whether a batch asks for what no upstream of a model can do. */
export const cannotHandOn = ({ metadata }: Pick<Job, 'metadata'>, model: Model): boolean =>
  metadata?.['via'] === 'upstream' && !takingBatches(model);

/** Whether lines that fail at the upstream are asked here. */
export const triesHere = ({ metadata }: Job) => metadata?.['on_failure'] === 'here';
