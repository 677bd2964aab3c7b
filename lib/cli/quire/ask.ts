import { text } from 'node:stream/consumers';
import { Stream } from 'openai/streaming';
import type { ChatEvent } from '../../../shared/chat/chat-event.ts';
import type { Arguments } from '../arguments.ts';
import { CommandError } from '../command-line.ts';
import type { Outcome } from '../run.ts';
import { respond, serviceIn, uploadDocument } from '../service.ts';
import { printable } from '../text.ts';

/** Asks a model about files and standard input, and prints the answer as it comes. */
export async function askModel({
  all,
  values,
  lists,
  flags,
}: Omit<Arguments<string>, 'command' | 'id'>): Promise<Outcome> {
  const piped = all.includes('-') ? (await text(process.stdin)).trim() : '';
  const asked = all.filter((word) => word !== '-').join(' ');
  const message = [asked, piped].filter(Boolean).join('\n\n');
  if (!message) throw new CommandError('ask needs a question: npm run quire -- ask "Say hello."');
  const service = serviceIn(values['data']);
  const file_ids = await Promise.all(
    (lists['file'] ?? []).map((path) => uploadDocument(service, path)),
  );
  const request = {
    message,
    ...(values['model'] !== undefined && { model: values['model'] }),
    ...(file_ids.length > 0 && { file_ids }),
    ...(flags.has('web') && { web_search: true }),
  };
  const response = await respond(service, 'POST', '/chat/stream', request);
  const told: ChatEvent[] = [];
  const events = Stream.fromSSEResponse<ChatEvent>(response, new AbortController());
  for await (const event of events) {
    if (event.type === 'error') throw new CommandError(event.message);
    if (event.type === 'delta' && !flags.has('json')) process.stdout.write(event.content);
    told.push(event);
  }
  const sources = told.flatMap((event) => (event.type === 'sources' ? event.sources : []));
  const content = told.map((event) => (event.type === 'delta' ? event.content : '')).join('');
  const lines = sources.map(({ title, url }, n) => `[${n + 1}] ${printable(title)} ${url}`);
  return { json: { content, sources }, text: ['', ...lines].join('\n') };
}
