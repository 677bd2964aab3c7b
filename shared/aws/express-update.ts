/** Returns the place of a value in an expression, such as `:v0`. */
export type PlaceValue = (value: unknown) => string;

/** Returns the place of an attribute's name in an expression. The name may be any text. */
export type PlaceName = (name: string) => string;

/** A condition, or a change of an attribute. One that is false is left out. */
export type Clause = string | false | undefined;

/** The changes of an update, and its conditions. */
export interface Clauses {
  when?: Clause[];
  set?: Clause[];
  remove?: Clause[];
  add?: Clause[];
}

/**
 * Expresses an update of an item. Its values and names are written where they are used. DynamoDB takes names of letters,
 * digits and `_` as they are, unless it has reserved them.
 * @see https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Expressions.ExpressionAttributeNames.html
 */
export function expressUpdate<Key extends Record<string, unknown>>(
  TableName: string,
  Key: Key,
  write: (value: PlaceValue, name: PlaceName) => Clauses,
) {
  const values = places(':v');
  const names = places('#n');
  const { when = [], set = [], remove = [], add = [] } = write(values.of, names.of);
  const changes = { SET: set, REMOVE: remove, ADD: add };
  return {
    TableName,
    Key,
    ConditionExpression: when.filter(Boolean).join(' AND ') || undefined,
    UpdateExpression: Object.entries(changes)
      .map(([verb, clauses]) => [verb, clauses.filter(Boolean).join(', ')])
      .filter(([, clauses]) => clauses !== '')
      .map(([verb, clauses]) => `${verb} ${clauses}`)
      .join(' '),
    ExpressionAttributeValues: values.all(),
    ExpressionAttributeNames: names.all() as Record<string, string> | undefined,
  };
}

/** The condition that an attribute of an item is as it was read. */
export const asRead = <Item extends object>(
  item: Item,
  attribute: keyof Item & string,
  value: PlaceValue,
  place: string = attribute,
): string =>
  item[attribute] === undefined
    ? `attribute_not_exists(${place})`
    : `${place} = ${value(item[attribute])}`;

/** The change that adds to an attribute, present or not. */
export const addTo = (attribute: string, more: number, value: PlaceValue): string =>
  `${attribute} = if_not_exists(${attribute}, ${value(0)}) + ${value(more)}`;

function places(prefix: string) {
  const placed = new Map<unknown, string>();
  return {
    of(thing: unknown): string {
      const place = placed.get(thing) ?? `${prefix}${placed.size}`;
      placed.set(thing, place);
      return place;
    },
    all: () =>
      placed.size === 0
        ? undefined
        : Object.fromEntries([...placed].map(([thing, place]) => [place, thing])),
  };
}
