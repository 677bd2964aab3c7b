import { eventsOf, post, TextReader } from '../support/servers/event-reader.ts';
import { newDataDir, startTestStage } from '../support/servers/stage.ts';

// Measures how long a message to /chat/stream waits for its first source and its first word when it is searched,
// beside one that is not, on one stage with the offline model and the sample pages. Medians, in milliseconds.
// node test/bench/search.ts [messages of each kind]

const messages = Number(process.argv[2] ?? 30);
const question = 'Which Heron lamps are recalled?';
const kinds = {
  plain: {},
  web_search: { web_search: true },
  'web_search, second message': {
    web_search: true,
    chat_history: [turn('user'), turn('assistant')],
  },
  connectors: { connectors: true },
} as const;

const stage = await startTestStage({ memory: true, dataDir: newDataDir() });
const plainMs: { start?: number; word?: number } = {};
try {
  console.log('ms until                        start      first source  first word    x plain');
  for (const [kind, fields] of Object.entries(kinds)) {
    await ask(fields);
    const runs = [];
    for (let n = 0; n < messages; n++) runs.push(await ask(fields));
    const start = median(runs.map((run) => run.start));
    const source = median(runs.map((run) => run.source));
    const word = median(runs.map((run) => run.word));
    plainMs.word ??= word;
    const cells = [start, source, word].map((ms) => (ms > 0 ? ms.toFixed(1) : '-').padEnd(14));
    console.log(kind.padEnd(32), cells.join(''), (word / plainMs.word).toFixed(2));
  }
} finally {
  await stage.close();
}

/** Sends a message, and returns the milliseconds until parts of its answer came; 0 for what doesn't come. */
async function ask(fields: object): Promise<{ start: number; source: number; word: number }> {
  const startedAt = performance.now();
  const since = () => performance.now() - startedAt;
  const response = await post(stage, '/chat/stream', { message: question, ...fields });
  const reader = new TextReader(response);
  await reader.until('"type":"start"');
  const start = since();
  let source = 0;
  if ('web_search' in fields || 'connectors' in fields) {
    await reader.until('"type":"sources"');
    source = since();
  }
  await reader.until('"type":"delta"');
  const word = since();
  const last = eventsOf(await reader.rest()).at(-2);
  if (JSON.stringify(last) !== '{"type":"done","finish_reason":"stop"}')
    throw new Error('no answer');
  return { start, source, word };
}

function turn(role: 'user' | 'assistant') {
  return { role, content: 'We spoke of lamps.' };
}

function median(values: number[]): number {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? 0;
}
