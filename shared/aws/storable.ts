/** DynamoDB takes 32 levels, with those of the item around a value. */
const maxLevels = 30;

/**
 * Whether a table can hold a JSON value as it is. It takes no half of a surrogate pair and no number below 1e-130. Its
 * client takes no number that isn't safe, and not every name that all objects have, such as `constructor`.
 *
 * @see https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Constraints.html
 */
export function isStorable(value: unknown, level = 1): boolean {
  if (typeof value === 'string') return value.isWellFormed();
  if (typeof value === 'number') return isStorableNumber(Math.abs(value));
  if (typeof value !== 'object' || value === null) return true;
  if (level > maxLevels) return false;
  if (Array.isArray(value)) return value.every((each) => isStorable(each, level + 1));
  return Object.entries(value).every(([name, each]) => isName(name) && isStorable(each, level + 1));
}

const isStorableNumber = (size: number) =>
  size === 0 || (size >= 1e-130 && size <= Number.MAX_SAFE_INTEGER);

const isName = (name: string) => name !== '' && name.isWellFormed() && !(name in Object.prototype);
