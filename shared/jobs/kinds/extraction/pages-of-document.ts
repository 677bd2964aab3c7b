import { runAll } from '../../engine/run/run-all.ts';
import { checkLength, type PageStep } from '../../reading/page-steps.ts';
import { wordsOfStep } from '../../reading/page-words.ts';
import type { ExtractPage } from './source-pages.ts';

type Part = Pick<PageStep, 'part'>;

const wordsAtOnce = 8;

/** Yields the pages of a document that was read, with their words. A text of no pages is parted into some. */
export async function* pagesOfSteps(steps: readonly PageStep[]): AsyncGenerator<ExtractPage> {
  if (steps.every(isText)) {
    yield* pagesOfTexts(steps.map((step) => ({ text: step.text ?? '', ...partOf(step) })));
    return;
  }
  for (let start = 0; start < steps.length; start += wordsAtOnce) {
    const some = steps.slice(start, start + wordsAtOnce);
    const read = some.map((step) => () => pageOf(step));
    yield* await runAll(read, wordsAtOnce);
  }
}

const isText = ({ source, words_object, text }: PageStep) =>
  source === 'text_layer' && !words_object && text !== '';

const partOf = ({ part }: PageStep): Part => (part === undefined ? {} : { part });

async function pageOf(step: PageStep): Promise<ExtractPage> {
  const { page, source, text, confidence, error, turn, picture_object } = step;
  const { words } = await wordsOfStep(step);
  return {
    page,
    source,
    confidence,
    words,
    text: text ?? '',
    ...partOf(step),
    status: error !== undefined ? 'failed' : text?.trim() ? 'read' : 'empty',
    ...(error !== undefined && { reason: error }),
    ...(turn && { turn }),
    ...(picture_object && { picture_object }),
  };
}

/** About how many characters of a text are a page. */
export const pageCharacters = 6_000;

/** Yields texts as pages, whose words have no places. */
export async function* pagesOfTexts(
  texts: readonly ({ text: string } & Part)[],
): AsyncGenerator<ExtractPage> {
  let page = 0;
  for (const { text, ...part } of texts) {
    for (const piece of partedText(text)) {
      page += 1;
      checkLength(page, `With ${pageCharacters.toLocaleString('en')} characters a page, the text`);
      const status = piece.trim() ? 'read' : 'empty';
      yield {
        page,
        ...part,
        status,
        source: 'text_layer',
        text: piece,
        words: [],
        confidence: null,
      };
    }
  }
}

/** Parts a text between its lines, or within one that is too long. */
function partedText(text: string): string[] {
  const pieces: string[] = [];
  for (let start = 0; start < text.length || pieces.length === 0; ) {
    const rest = text.length - start;
    const most = start + pageCharacters;
    const border = rest > pageCharacters ? text.lastIndexOf('\n', most) : -1;
    const end = rest <= pageCharacters ? text.length : border > start ? border + 1 : most;
    pieces.push(text.slice(start, end));
    start = end;
  }
  return pieces;
}
