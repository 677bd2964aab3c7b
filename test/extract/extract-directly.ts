import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openDocument } from '../../shared/documents/parts/open-document.ts';
import { readAnswer, type WindowAnswer } from '../../shared/extract/answers/answer.ts';
import { parseExtract } from '../../shared/extract/asked/spec.ts';
import { assemble } from '../../shared/extract/assemble.ts';
import { messagesOf } from '../../shared/extract/messages.ts';
import type { ExtractOutcome } from '../../shared/extract/outcome.ts';
import { windowsOf } from '../../shared/extract/windows.ts';
import type { SourcePage } from '../../shared/extract/words/page.ts';
import type { AnswerOf } from '../lab/extract-set/scripted-model.ts';
import type { SetDocument } from '../lab/extract-set/truth.ts';

/** The pages of a document that has text layers, as a job reads them. */
export async function sourcePagesOf(document: SetDocument, folder: string): Promise<SourcePage[]> {
  const path = join(folder, document.file);
  writeFileSync(path, document.bytes);
  const open = await openDocument(path, 'pdf', { turn: 'test' });
  const pages: SourcePage[] = [];
  for (let page = 1; page <= open.pageCount; page++) {
    const { textLayer: text = '', words = [] } = await open.readPage(page, {
      draw: false,
      words: true,
    });
    const common = { page, source: 'text_layer', text, words, confidence: null } as const;
    pages.push({ ...common, status: text ? 'read' : 'empty' });
  }
  open.close();
  return pages;
}

export interface Directly {
  maxPages?: number;
  requireEvidence?: boolean;
  repairs?: number;
}

/** Extracts a document as a job does, but with a model that is asked directly. */
export function extractDirectly(
  { schema }: SetDocument,
  pages: SourcePage[],
  answerOf: AnswerOf,
  { maxPages = 3, requireEvidence = false, repairs = 2 }: Directly = {},
): ExtractOutcome {
  const spec = parseExtract({ schema, require_evidence: requireEvidence });
  const ask = (
    window: WindowAnswer['window'],
    missed?: Parameters<typeof messagesOf>[2],
  ): WindowAnswer => {
    const shown = pages.filter(({ page }) => page >= window.first && page <= window.last);
    const { messages, schema: answerSchema } = messagesOf(spec, shown, missed);
    const content = answerOf({
      ...{ model: 'scripted', messages },
      response_format: { type: 'json_schema', json_schema: { schema: answerSchema } },
    });
    return readAnswer(spec, window, content);
  };
  const windows = windowsOf(spec, pages, { maxPages, maxCharacters: 80_000 });
  const answers = windows.map((window) => ask(window));
  let outcome = assemble(spec, pages, answers);
  for (let round = 0; round < repairs && outcome.missed.size > 0; round++) {
    for (const [index, missed] of outcome.missed) {
      const window = windows.find((each) => each.index === index);
      if (window) answers.push(ask(window, missed));
    }
    outcome = assemble(spec, pages, answers);
  }
  return outcome;
}
