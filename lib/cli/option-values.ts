import * as v from 'valibot';
import { CommandError } from './command-error.ts';

/** Reads `--some-option` as the schema's `some_option`; the first fault becomes a sentence about it. */
export function readValues<Schema extends v.GenericSchema>(
  schema: Schema,
  values: { [option: string]: string },
): v.InferOutput<Schema> {
  const fields = Object.entries(values).map(([name, text]) => [name.replaceAll('-', '_'), text]);
  const read = v.safeParse(schema, Object.fromEntries(fields));
  if (read.success) return read.output;
  const [fault] = read.issues;
  throw new CommandError(`--${v.getDotPath(fault)?.replaceAll('_', '-')} ${fault.message}.`);
}
