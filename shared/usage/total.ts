import { getItem } from '../aws/dynamodb.ts';
import { asRead, expressUpdate, type PlaceValue } from '../aws/express-update.ts';
import type { TransactWriteItem } from '../aws/transact.ts';
import { setting } from '../config.ts';
import { figureNames, totalEntry, type UsageFigures } from './figures.ts';

/** The attributes of a key's total that order the writes of its usage. */
export interface Total {
  /** Grows with each write of the key's usage. */
  revision?: number;
  /** The revision of the last rebuild that corrected something. */
  corrected_in?: number;
}

/** Reads a key's total as it is now. It is empty if nothing was counted yet. */
export async function readTotal(keyId: string): Promise<Total> {
  const key = { key_id: keyId, entry: totalEntry };
  return (await getItem<Total>(setting('USAGE_TABLE'), key)) ?? {};
}

/** Returns the next revision: at least the time in ms, so that it exceeds all earlier ones even if the total was lost. */
export const revisionAfter = ({ revision = 0 }: Total) => Math.max(revision + 1, Date.now());

/** A number of a total to change, on the condition that it is still as it was read. */
export interface Move {
  name: keyof Total;
  from: number | undefined;
  to: number;
}

/** Makes the write that adds figures to an entry, together with a move if one is given. */
export const addition = (
  keyId: string,
  entry: string,
  figures: UsageFigures,
  move?: Move,
): TransactWriteItem => ({
  Update: usageUpdate(keyId, entry, (value, name) => ({
    ...(move && clausesOf(move, value)),
    add: figureNames.map((figure) => `${name(figure)} ${value(figures[figure])}`),
  })),
});

/** Makes the update that moves a number of a key's total on. */
export const moveOn = (keyId: string, move: Move) =>
  usageUpdate(keyId, totalEntry, (value) => clausesOf(move, value));

const usageUpdate = (key_id: string, entry: string, write: Parameters<typeof expressUpdate>[2]) =>
  expressUpdate(setting('USAGE_TABLE'), { key_id, entry }, write);

const clausesOf = ({ name, from, to }: Move, value: PlaceValue) => ({
  when: [asRead({ [name]: from }, name, value)],
  set: [`${name} = ${value(to)}`],
});
