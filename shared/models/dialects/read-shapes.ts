import { textIn } from '../field.ts';
import type { Format, Tool } from './ask.ts';
import type { AnswerEvent, Body } from './dialect.ts';

/** Reads what dialects say alike of a tool of a name. */
export function toolNamed(name: string, is: Tool['is'], said: Body): Tool {
  const { description, format, parameters, strict } = said;
  const described = { name, ...(typeof description === 'string' && { description }) };
  if (is === 'custom') {
    return { is, ...described, ...(typeof format === 'object' && format && { format }) };
  }
  return {
    ...{ is, ...described },
    ...(typeof parameters === 'object' && parameters && { schema: parameters }),
    ...(typeof strict === 'boolean' && { strict }),
  };
}

/** Reads a form of the answer by its JSON schema. */
export const schemaFormat = ({ name, schema, strict, description }: Body): Format => ({
  is: 'schema',
  name: textIn(name),
  schema: (schema ?? {}) as object,
  ...(typeof strict === 'boolean' && { strict }),
  ...(typeof description === 'string' && { description }),
});

/** Reads an answer's beginning. */
export const startOf = ({ id, model }: Body): AnswerEvent => ({
  is: 'start',
  ...(typeof id === 'string' && { id }),
  ...(typeof model === 'string' && { model }),
});
