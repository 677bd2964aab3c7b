import { callerOf } from './caller.ts';
import { readForm } from './form.ts';
import { openEndpoint, type Respond } from './json-endpoint.ts';
import { parseRequest, type RequestSchemas } from './request.ts';

/** Makes a handler as `jsonEndpoint` does, for a route whose body is a form of `multipart/form-data`. */
export function formEndpoint<Schemas extends RequestSchemas>(
  schemas: Schemas,
  respond: Respond<Schemas>,
) {
  return openEndpoint(async (event, room) =>
    respond(parseRequest(schemas, event, await readForm(event)), callerOf(event), room),
  );
}
