/** A choice of one among many, under its label. A choice that is a single text is its own label. */
export function Select<Value extends string>({
  label,
  of,
  chosen,
  choose,
  ...rest
}: {
  label: string;
  of: readonly (Value | readonly [Value, string])[];
  chosen: Value;
  choose: (value: Value) => void;
  disabled?: boolean;
  required?: boolean;
}) {
  return (
    <label>
      {label}
      <select
        value={chosen}
        onChange={({ currentTarget }) => choose(currentTarget.value as Value)}
        {...rest}
      >
        {of.map((each) => {
          const [value, text] = typeof each === 'string' ? [each, each] : each;
          return (
            <option key={value} value={value}>
              {text}
            </option>
          );
        })}
      </select>
    </label>
  );
}
