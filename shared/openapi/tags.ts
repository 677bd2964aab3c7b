/** The groups that routes are listed under. */
export const tags = {
  'Batch jobs': 'Chat and OCR jobs that run by priority, are retried, and keep their results.',
  Chat: 'One message at a time, answered as a stream of events made to be shown.',
  'Chat completions':
    'The same protocol as OpenAI’s: its clients work with `/v1` as their base URL.',
  Usage: 'What a key may spend, and what it has spent.',
  Feedback: 'What users thought of an answer.',
  Service: 'The service itself; no API key is asked for.',
};

export type Tag = keyof typeof tags;
