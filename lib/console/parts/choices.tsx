/** A choice of one among a few, as buttons beside each other. */
export function Choices<Value extends string>({
  label,
  of,
  chosen,
  choose,
}: {
  label: string;
  of: readonly (readonly [Value, string])[];
  chosen: Value;
  choose: (value: Value) => void;
}) {
  return (
    <fieldset class="choices" aria-label={label}>
      {of.map(([value, text]) => (
        <label key={value}>
          <input
            type="radio"
            name={label}
            checked={value === chosen}
            onChange={() => choose(value)}
          />
          {text}
        </label>
      ))}
    </fieldset>
  );
}
