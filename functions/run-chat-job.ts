import { runChatJob } from '../shared/jobs/kinds/chat-queue.ts';
import { jobWorker } from '../shared/jobs/work/worker.ts';

/** Reads the chat queue. */
export const handler = jobWorker(runChatJob, 10);
