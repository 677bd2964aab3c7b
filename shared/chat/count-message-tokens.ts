import * as v from 'valibot';
import type { Caller } from '../http/caller.ts';
import { Count } from '../http/schema.ts';
import { estimatePromptTokens } from '../models/token-bounds.ts';
import { dialects } from '../models/upstreams/wires.ts';
import type { MessageCountRequest } from './message-request.ts';
import { requireModel } from './models.ts';

/** The response of `POST /v1/messages/count_tokens`. */
export const MessageTokenCount = v.object({ input_tokens: Count });

/** Estimates a prompt's tokens without a call, for free. Throws `NotFoundError` for a model that the caller may not use. */
export function countMessageTokens(
  request: MessageCountRequest,
  caller: Caller,
): v.InferOutput<typeof MessageTokenCount> {
  const model = requireModel(caller, request.model);
  return { input_tokens: estimatePromptTokens(model, dialects.messages.sized(request)) };
}
