import type { ApiKey } from '../keys/key.ts';
import { usdText } from '../ledger/terms/nano-usd.ts';
import { endedCharges } from './charges.ts';
import { type Days, dayOf } from './day.ts';
import {
  type EndedCharge,
  figureNames,
  figuresIn,
  figuresOf,
  type UsageFigures,
} from './figures.ts';

/** What is exported. */
export interface ExportOptions {
  days: Days;
  /** Names of metadata, for whose values there are lines of their own. */
  by: readonly string[];
  /** Only charges with all of this metadata. */
  where: Readonly<Record<string, string>>;
}

/** What was used; `cost_usd` is exact, with nine decimals. */
export type ExportFigures = Omit<UsageFigures, 'spend'> & { cost_usd: string };

/** What a key used of a model on a UTC day in a dialect, under the same values of the metadata that was asked for. */
export interface ExportLine extends ExportFigures {
  key_id: string;
  key: string;
  day: string;
  model: string;
  /** The dialect in which it was asked: `chat`, `responses`, `messages` or `embeddings`; empty for jobs. */
  dialect: string;
  /** In the order of the names; null where a charge has no such metadata. */
  values: (string | null)[];
}

/** Sums of charges: key after key in their order, then by day, model, dialect and value. */
export interface Export {
  lines: AsyncGenerator<ExportLine>;
  /** The sums of the lines so far. */
  totals(): ExportFigures;
}

/** Told how many charges have been read so far. */
type Tell = (charges: number) => void;

/** Sums up what keys were charged. */
export function exportUsage(
  keys: readonly Pick<ApiKey, 'id' | 'name'>[],
  options: ExportOptions,
  tell: Tell = () => {},
): Export {
  const totals = figuresIn({});
  // The spend of many may be more than a number holds exactly.
  let nanoUsd = 0n;
  const lines = async function* () {
    for await (const { figures, ...line } of sumsOf(keys, options, tell)) {
      for (const name of figureNames) totals[name] += figures[name];
      nanoUsd += BigInt(figures.spend);
      yield { ...line, ...shown(figures) };
    }
  };
  return { lines: lines(), totals: () => shown(totals, nanoUsd) };
}

const shown = ({ spend, ...figures }: UsageFigures, nanoUsd = BigInt(spend)): ExportFigures => ({
  ...figures,
  cost_usd: usdText(nanoUsd),
});

type Sum = Omit<ExportLine, keyof ExportFigures> & { figures: UsageFigures };

const readsAtOnce = 16;

/** Holds the sums of some keys at a time, and never their charges. */
async function* sumsOf(
  keys: readonly Pick<ApiKey, 'id' | 'name'>[],
  options: ExportOptions,
  tell: Tell,
): AsyncGenerator<Sum> {
  let read = 0;
  const onRead = (charges: number) => {
    read += charges;
    tell(read);
  };
  for (let first = 0; first < keys.length; first += readsAtOnce) {
    const some = keys.slice(first, first + readsAtOnce);
    const sums = await Promise.all(some.map((key) => sumsOfKey(key, options, onRead)));
    yield* sums.flat();
  }
}

async function sumsOfKey(
  { id, name }: Pick<ApiKey, 'id' | 'name'>,
  { days, by, where }: ExportOptions,
  onRead: (charges: number) => void,
): Promise<Sum[]> {
  const sums = new Map<string, Sum>();
  const wanted = Object.entries(where);
  for await (const page of endedCharges(id, days)) {
    onRead(page.length);
    for (const charge of page) {
      if (wanted.some(([tag, value]) => tagOf(charge, tag) !== value)) continue;
      const line = {
        key_id: id,
        key: name,
        day: dayOf(charge.ended_at),
        model: charge.model,
        dialect: dialectOf(charge),
        values: by.map((tag) => tagOf(charge, tag)),
      };
      const group = JSON.stringify(line);
      const sum = sums.get(group) ?? { ...line, figures: figuresIn({}) };
      sums.set(group, sum);
      const figures = figuresOf(charge);
      for (const figure of figureNames) sum.figures[figure] += figures[figure];
    }
  }
  return [...sums.values()].sort(inOrder);
}

const tagOf = ({ metadata = {} }: EndedCharge, tag: string): string | null =>
  Object.hasOwn(metadata, tag) ? (metadata[tag] ?? null) : null;

/** The dialect of a call that was no job's, by the tags that it is counted under. */
function dialectOf({ tags }: EndedCharge): string {
  const told = tags.find((tag) => tag.startsWith('chat:'));
  if (told) return told.slice('chat:'.length);
  return tags.find((tag) => tag === 'chat' || tag === 'embeddings') ?? '';
}

function inOrder(one: Sum, other: Sum): number {
  const [a = [], b = []] = [one, other].map(({ day, model, dialect, values }) => [
    ...[day, model, dialect],
    ...values,
  ]);
  const at = a.findIndex((value, index) => value !== b[index]);
  return (a[at] ?? '') < (b[at] ?? '') ? -1 : 1;
}
