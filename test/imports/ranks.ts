/**
 * The folders of `shared`, the highest first. A folder may import those in rows below its own, and the files beside the
 * folders, which import no folder.
 */
export const ranks: readonly (readonly string[])[] = [
  ['openapi'],
  ['feedback', 'console'],
  ['usage', 'health'],
  ['jobs'],
  ['embeddings'],
  ['chat'],
  ['ocr'],
  ['connectors'],
  ['webhooks'],
  ['pages', 'search'],
  ['drive', 'documents', 'files', 'extract'],
  ['keys'],
  ['models'],
  ['ledger'],
  ['http'],
  ['aws'],
];

const money = ['keys', 'models', 'ledger'];

/** What may not be imported though it is below, and why. A file's own row comes before its folder's. */
export const apart: Readonly<Record<string, { from: readonly string[]; why: string }>> = {
  'connectors/ask-drive.ts': {
    from: ['drive', 'documents'],
    why: 'It runs in the functions that chat, which carry no code of Drive or of documents.',
  },
  connectors: { from: [...money, 'search'], why: 'Connectors read Drive, and are asked by chat.' },
  ocr: { from: ['connectors', 'search'], why: 'OCR reads pages, and searches nothing.' },
  pages: { from: [...money, 'drive'], why: 'What reads the web knows no keys, money or tables.' },
  webhooks: { from: ['search', 'drive', 'documents'], why: 'Webhooks know accounts.' },
  drive: { from: money, why: 'Drive knows no keys and no money.' },
  files: { from: money, why: 'Files know no keys but their ids, and no money.' },
  documents: { from: money, why: 'Documents know no keys and no money.' },
  extract: {
    from: [...money, 'http', 'aws'],
    why: 'What finds values in pages knows no store and no network.',
  },
};

/** What each folder at the top may import of the others. Tests may import everything. */
export const tops: Readonly<Record<string, readonly string[]>> = {
  bin: ['lib', 'shared'],
  functions: ['shared'],
  lib: ['shared'],
  shared: [],
};

/**
 * Rooms whose own folders have an order, the highest first; `.` are the files beside the folders. A folder may import those
 * in rows below its own.
 */
export const inside: Readonly<Record<string, readonly (readonly string[])[]>> = {
  'shared/jobs': [
    ['operators'],
    ['routes'],
    ['erase'],
    ['work'],
    ['kinds'],
    // Any folder of `kinds` that no other row names.
    ['kinds/*'],
    ['kinds/document'],
    ['kinds/section', 'kinds/answer', 'kinds/extraction'],
    ['kinds/chat', 'kinds/batch'],
    ['kinds/batch/upstream'],
    ['kinds/requests'],
    ['reading'],
    ['sources'],
    ['asked'],
    ['results'],
    ['engine/children', 'engine/run'],
    ['engine/waiting'],
    ['engine/item'],
  ],
  'shared/extract': [['tables'], ['.'], ['rows'], ['answers'], ['words'], ['asked']],
  'shared/chat': [['stream'], ['research'], ['sources'], ['.']],
  'shared/documents': [['attached'], ['parts'], ['office', 'processes'], ['.']],
  'shared/models': [
    ['batches'],
    ['upstreams'],
    ['dialects/chat', 'dialects/messages', 'dialects/responses'],
    ['dialects'],
    ['.'],
  ],
  'shared/ledger': [['.'], ['audit'], ['leases'], ['parts'], ['account'], ['terms']],
  'lib/local': [
    ['stage'],
    ['gateway'],
    ['lambda'],
    ['dynamodb', 'drive', 'offline-model', 'queues', 'secrets', 'textract', 'web'],
    ['engines'],
    ['permissions'],
    ['template'],
    ['.'],
  ],
};

/** Rooms with a door: the folders of theirs that others may import; `.` are the files beside the folders. */
export const doors: Readonly<Record<string, readonly string[]>> = {
  'shared/ledger': ['.', 'terms'],
};
