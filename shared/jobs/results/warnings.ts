import * as v from 'valibot';
import {
  warnings as ofDocuments,
  type WarnedText,
  type Warning,
} from '../../documents/warnings.ts';
import { Count } from '../../http/schema.ts';

/** Below this a page's confidence is low: in scans about one character of twenty is then wrong. */
export const lowConfidence = 80;

/** What is not in a result, or may be wrong in it, by a code for each. */
export const warnings = {
  page_failed: 'A page could not be read: its error says why.',
  no_text: 'There is no text in the document.',
  low_confidence: 'A page was hard to read, and may have wrong letters.',
  letters_unknown: 'The file doesn’t tell some letters: \ufffd stands for each.',
  ...ofDocuments,
} as const;

const codes = Object.keys(warnings) as (keyof typeof warnings)[];

export const ResultWarning = v.object({
  code: v.picklist(codes),
  message: v.string(),
  pages: v.array(Count),
});
export type ResultWarning = v.InferOutput<typeof ResultWarning>;

interface ReadPage {
  page: number;
  confidence: number | null;
  text: string | null;
  error?: string;
  warnings?: Warning[];
}

/** Returns what the texts of a document warn of, which cost no reading. */
export const warningsOfTexts = (texts: readonly WarnedText[]) =>
  warningsOf(texts.map((read, index) => ({ page: index + 1, confidence: null, ...read })));

/** Returns what the pages of a document warn of. */
export function warningsOf(pages: readonly ReadPage[]): ResultWarning[] {
  const isEmpty = pages.every(({ text, error }) => text?.trim() === '' && error === undefined);
  const warns: Partial<Record<keyof typeof warnings, (page: ReadPage) => boolean | undefined>> = {
    page_failed: ({ error }) => error !== undefined,
    no_text: () => isEmpty,
    low_confidence: ({ confidence }) => confidence !== null && confidence < lowConfidence,
    letters_unknown: ({ text }) => text?.includes('\ufffd'),
  };
  return codes.flatMap((code) => {
    const message = warnings[code];
    const isOn = warns[code] ?? ((page) => page.warnings?.includes(code as Warning));
    const found = pages.filter(isOn).map(({ page }) => page);
    return found.length > 0 ? [{ code, message, pages: found }] : [];
  });
}
