import * as v from 'valibot';
import { postMessages } from '../shared/pages/post-messages.ts';

const PostRequest = v.object({
  url: v.string(),
  messages: v.array(v.object({ headers: v.record(v.string(), v.string()), body: v.string() })),
});

/** Posts signed messages to a webhook for another function of this service. */
export const handler = async (event: unknown) => postMessages(v.parse(PostRequest, event));
