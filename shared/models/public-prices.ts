import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { setting } from '../config.ts';
import { CatalogueError } from './catalogue-error.ts';
import { listPrice } from './list-price.ts';

interface Source {
  models: SourceModel[];
}
interface SourceModel {
  id: string;
  upstreams?: { upstream: string; model: string }[];
  usdPerMillionTokens?: object;
}

const file =
  setting('QUIRE_CATALOGUE') || fileURLToPath(new URL('./catalogue.json', import.meta.url));

/** The model catalogue with every price filled in. A bundle carries it as JSON, with the prices at synthesis. */
export default priced(readSource());

/** Reads the catalogue's file. Throws `CatalogueError` that names it. */
function readSource(): Source {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch (cause) {
    const { message } = cause as Error;
    throw new CatalogueError(`The model catalogue ${file} can't be read: ${message}`, { cause });
  }
}

function priced(source: Source): unknown {
  if (!Array.isArray(source?.models)) return source;
  return { ...source, models: source.models.map(pricedModel) };
}

/** Returns a model with its price. One that isn't described as a model is left as it is: the schema says what is wrong. */
function pricedModel(model: SourceModel): unknown {
  if (typeof model?.id !== 'string' || !Array.isArray(model.upstreams)) return model;
  if (model.usdPerMillionTokens !== undefined) return model;
  return { ...listPrice(model.id, model.upstreams[0]), ...model };
}
