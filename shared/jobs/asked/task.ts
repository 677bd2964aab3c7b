import { ServiceError } from '../../http/errors.ts';
import type { JobType } from '../../job-types.ts';
import { catalogue, findModel, findOcrEngine, type Model } from '../../models/catalogue.ts';
import type { Job } from '../engine/item/job.ts';
import { runAttributes } from '../engine/item/new-job.ts';
import type { Extracting } from './extract-task.ts';

/** What is asked of a document, or of each file of a folder. */
export interface Task extends Extracting {
  pipeline?: string;
  pipeline_instruction?: string;
  force_ocr?: boolean;
  fresh?: boolean;
}

/** The attributes that a part, a step or a retry of the job takes over. */
export const taskAttributes = [
  ...runAttributes,
  'pipeline',
  'extract',
  'force_ocr',
  'fresh',
] as const satisfies (keyof (Job & Task))[];

/** The attributes of a job or a submission that say what is done with its documents. */
export interface Work {
  job_type: JobType;
  pipeline?: string | null | undefined;
  extract?: object | null | undefined;
}

/** Whether documents have pages read, rather than a text put to a model as it is. Of `auto` that shows only later. */
export const isRead = ({ job_type, pipeline, extract }: Work) =>
  job_type !== 'chat' || Boolean(pipeline || extract);

/** The attributes that decide which models the steps of a job or a submission run on. */
interface Asked extends Work {
  model: string | null;
}

/** Returns the attributes that decide a submitted job's models. */
export const askedOf = ({ job_type, asked_model, pipeline, extract }: Job & Task): Asked => ({
  job_type,
  pipeline,
  extract,
  model: asked_model ?? null,
});

/** Whether a model can be an OCR job's: an engine, or a model that sees. */
export const canRead = (id: string) =>
  Boolean(findOcrEngine(id) || findModel(id)?.maxImageTokens !== undefined);

/** The model that reads pages: an ocr job's own, or any engine that was asked for. */
export function ocrModelOf({ job_type, model }: Pick<Asked, 'job_type' | 'model'>): string {
  return model && (job_type === 'ocr' || findOcrEngine(model)) ? model : catalogue.defaults.ocr;
}

/** The model that chats: the one asked for, unless it is the one that reads pages. */
export function chatModelOf({ job_type, model }: Pick<Asked, 'job_type' | 'model'>): string {
  return model && job_type !== 'ocr' && !findOcrEngine(model) ? model : catalogue.defaults.chat;
}

/** The model on the record: the one the job's type is about. */
export const recordModelOf = (asked: Asked) =>
  asked.job_type === 'chat' ? chatModelOf(asked) : ocrModelOf(asked);

/** Every model a job may come to use. */
export function modelsOf(asked: Asked): string[] {
  const chats = asked.job_type !== 'ocr' || Boolean(asked.pipeline || asked.extract);
  const reads = isRead(asked);
  return [...(chats ? [chatModelOf(asked)] : []), ...(reads ? [ocrModelOf(asked)] : [])];
}

/** Returns the model that a job runs on. Throws 404 if the deployment has dropped it since the job came. */
export function requireJobModel(id: string): Model {
  const model = findModel(id);
  if (model) return model;
  throw new ServiceError(404, 'model_not_found', `The model ${id} is not served any more.`);
}
