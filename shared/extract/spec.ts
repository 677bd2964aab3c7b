// biome-ignore-all lint: this stands in for what asks, reads and proves fields until that is merged.
export type PageBox = readonly [number, number, number, number];
export type PageWord = { text: string; box: PageBox | null; confidence: number | null };
export type SourcePage = {
  page: number;
  part?: string;
  status: 'read' | 'empty' | 'failed';
  source: 'ocr' | 'text_layer';
  text: string;
  words: PageWord[];
  confidence: number | null;
};
export type JsonSchema = Record<string, any>;
export type ExtractSpec = { schema: JsonSchema; require_evidence: boolean };
export class ExtractError extends Error {
  path: string[] = [];
  constructor(path: string[], m: string) {
    super(m);
    this.path = path;
  }
}
const schemaOf = (x: any): any =>
  Array.isArray(x)
    ? { type: 'array', items: schemaOf(x[0]) }
    : typeof x === 'object' && x
      ? {
          type: 'object',
          properties: Object.fromEntries(Object.entries(x).map(([k, y]) => [k, schemaOf(y)])),
        }
      : { type: typeof x };
export function parseExtract(input: any): ExtractSpec {
  if ((input.schema === undefined) === (input.example === undefined))
    throw new ExtractError([], 'exactly one of schema and example must be given');
  const schema = input.schema ?? schemaOf(input.example);
  if (schema.type !== 'object') throw new ExtractError(['schema'], 'it must be an object');
  return { schema, require_evidence: input.require_evidence ?? false };
}
export type Message = { role: 'system' | 'user'; content: string };
export type PageWindow = { index: number; first: number; last: number };
export type Missed = { page: number; text: string };
export type WindowAnswer = { window: PageWindow; data: any };
export class InvalidAnswer extends Error {}
export function windowsOf(
  spec: ExtractSpec,
  pages: readonly SourcePage[],
  { maxPages }: { maxPages: number; maxCharacters: number },
): PageWindow[] {
  const read = pages.filter(({ status }) => status === 'read').map(({ page }) => page);
  const out: PageWindow[] = [];
  for (let at = 0; at < read.length; at += maxPages - 1) {
    out.push({
      index: out.length,
      first: read[at]!,
      last: read[Math.min(read.length, at + maxPages) - 1]!,
    });
    if (at + maxPages >= read.length) break;
  }
  return out;
}
export function messagesOf(
  spec: ExtractSpec,
  pages: readonly SourcePage[],
  missed?: readonly Missed[],
): { messages: Message[]; schema: JsonSchema } {
  return {
    messages: [
      { role: 'system', content: 'Extract.' },
      {
        role: 'user',
        content: JSON.stringify({ pages: pages.map(({ page, text }) => ({ page, text })), missed }),
      },
    ],
    schema: spec.schema,
  };
}
export function readAnswer(spec: ExtractSpec, window: PageWindow, content: string): WindowAnswer {
  try {
    return { window, data: JSON.parse(content) };
  } catch {
    throw new InvalidAnswer('it is no JSON');
  }
}
export type ExtractOutcome = {
  data: unknown;
  evidence: {
    path: string;
    page: number | null;
    quote: string | null;
    boxes: PageBox[];
    found: 'exact' | 'normalized' | 'not found';
    confidence: number | null;
  }[];
  coverage: {
    pages: { page: number; part?: string; status: 'used' | 'empty' | 'failed' | 'left_out' }[];
    arrays: {
      path: string;
      returned: number;
      on_pages: number | null;
      missing: { page: number; text: string; box: PageBox | null }[];
    }[];
  };
  missed: Map<number, Missed[]>;
};
export function assemble(
  spec: ExtractSpec,
  pages: readonly SourcePage[],
  answers: WindowAnswer[],
): ExtractOutcome {
  const data: any = {};
  const evidence: ExtractOutcome['evidence'] = [];
  for (const [name] of Object.entries(spec.schema['properties'])) {
    const field = answers.map(({ data }) => data[name]).find((x) => x);
    data[name] = null;
    const page = pages.find(({ page }) => page === field?.page);
    const word = page?.words.find(({ text }) => text === field?.quote);
    const isFound = page?.text.includes(field?.quote ?? '\0') ?? false;
    if (field && (isFound || !spec.require_evidence)) data[name] = field.value;
    evidence.push({
      path: `/${name}`,
      page: isFound ? field.page : null,
      quote: field?.quote ?? null,
      boxes: word?.box ? [word.box] : [],
      found: isFound ? 'exact' : 'not found',
      confidence: isFound ? (word?.confidence ?? 100) / 100 : null,
    });
  }
  const used = (page: number) =>
    answers.some(({ window }) => window.first <= page && page <= window.last);
  return {
    data,
    evidence,
    coverage: {
      pages: pages.map(({ page, part, status }) => ({
        page,
        ...(part && { part }),
        status: status !== 'read' ? status : used(page) ? 'used' : 'left_out',
      })),
      arrays: [],
    },
    missed: new Map(),
  };
}
