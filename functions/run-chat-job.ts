import { jobWorker } from '../shared/jobs/engine/run/worker.ts';
import { runChatJob } from '../shared/jobs/kinds/chat/run-chat.ts';

/** Reads the chat queue. */
export const handler = jobWorker(runChatJob, 10);
