import { catalogue, type Model } from '../catalogue.ts';

/** The first upstream of a model that takes batches, with their protocol; undefined if none does. */
export function takingBatches({ upstreams }: Pick<Model, 'upstreams'>) {
  for (const each of upstreams) {
    const protocol = catalogue.upstreams[each.upstream]?.batches;
    if (protocol) return { ...each, protocol };
  }
  return undefined;
}
