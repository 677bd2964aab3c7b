import { runChatJob } from '../shared/jobs/chat/run-chat.ts';
import { jobWorker } from '../shared/jobs/worker.ts';

/** Reads the chat queue. */
export const handler = jobWorker(runChatJob, 10);
