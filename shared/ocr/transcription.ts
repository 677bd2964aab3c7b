import type { CompletionBody } from '../models/upstreams/model-request.ts';

const task = `Transcribe all text in this image of a page, in reading order, exactly as it is written: no corrections, no translation, no comments. Write headings, lists and tables as Markdown. Answer with the text alone; with nothing for an empty page.`;

/** Returns the messages that ask a model with vision to read a page's JPEG. */
export function transcription(jpeg: Uint8Array): CompletionBody['messages'] & object[] {
  const url = `data:image/jpeg;base64,${Buffer.from(jpeg).toString('base64')}`;
  return [
    {
      role: 'user',
      content: [
        { type: 'text', text: task },
        { type: 'image_url', image_url: { url, detail: 'high' } },
      ],
    },
  ];
}
