import { log } from '../log.ts';
import { catalogue, type Model } from '../models/catalogue.ts';

const logged = new Set<string>();
const maxLogged = 1_000;

/**
 * Returns the catalogue's models that answered in the asked one's place, by the answer's name. None for its own name,
 * a dated or an unknown one. Logged once.
 */
export function otherModels(model: Model, asked: string, answeredBy: string | undefined): Model[] {
  if (answeredBy === undefined || isNameOf(asked, answeredBy)) return [];
  const pair = `${asked} ${answeredBy}`;
  if (!logged.has(pair) && logged.size < maxLogged) {
    logged.add(pair);
    log('warn', 'another model answered', { model: model.id, asked, answered_by: answeredBy });
  }
  return catalogue.models.filter(({ upstreams }) =>
    upstreams.some((each) => isNameOf(each.model, answeredBy)),
  );
}

/** Whether a name in an answer stands for a model: its own, with a date or version, or with a path before it. */
export function isNameOf(model: string, answered: string): boolean {
  const name = answered.slice(answered.lastIndexOf('/') + 1);
  const own = model.slice(model.lastIndexOf('/') + 1);
  return name === own || (name.startsWith(own) && /^[-@:][\d.v-]+$/.test(name.slice(own.length)));
}
