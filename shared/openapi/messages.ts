import * as message from '../chat/completion-message.ts';
import { component } from './operation.ts';

const contentDescription = 'What is said.';

/** What the document says of chat messages, which both jobs and chat completions take. */
export const components = {
  Message: component(
    message.Message,
    'One chat message, as in chat completions; keys that aren’t named here pass through to the model.',
  ),
  PlainMessage: component(message.PlainMessage, 'A message that says something.', {
    role: 'Who speaks.',
    content: contentDescription,
    name: 'The speaker’s name, to tell two of the same role apart.',
    tool_calls: 'The tools that an assistant calls beside.',
  }),
  SilentMessage: {
    ...component(
      message.SilentMessage,
      'What a model said without words: with `tool_calls`, `function_call`, `refusal` or `audio`.',
      {
        role: 'Who speaks.',
        content: contentDescription,
        name: 'The speaker’s name.',
        tool_calls: 'The tools it calls.',
      },
    ),
    rules: {
      anyOf: ['tool_calls', 'function_call', 'refusal', 'audio'].map((key) => ({
        required: [key],
        properties: { [key]: { not: { enum: [null, false, 0, ''] } } },
      })),
    },
  },
  ToolMessage: component(message.ToolMessage, 'What a tool answered.', {
    role: 'Who speaks.',
    content: contentDescription,
    tool_call_id: 'The call that this answers.',
  }),
  MessageContent: component(message.Content, 'A text, or a list of parts.'),
  ContentPart: component(message.ContentPart, 'A piece of a message.'),
  TextPart: component(message.TextPart, 'A piece of text.', {
    type: 'What kind of part this is.',
    text: 'The text.',
  }),
  ImagePart: component(message.ImagePart, 'An image.', {
    type: 'What kind of part this is.',
    image_url: '`url` is a link, or the image itself as a data URL. OCR jobs take data URLs alone.',
  }),
  OtherPart: component(
    message.OtherPart,
    'Any other part, as the model takes it. In a job’s messages a part of the type `file` is read by the service: its `file` has a `filename` and, as a data URL in base64, `file_data`, which may be a PDF, a Word, Excel, PowerPoint or OpenDocument file, RTF, HTML, an email, an EPUB or a ZIP archive. A `file_id` in their place names a file of your key, which is put there: of a job’s messages 6 MB together at most, on `/v1` 20 MB. Other servers’ ids are refused.',
    { type: 'What kind of part this is.' },
  ),
};
