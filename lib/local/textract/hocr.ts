import type { Box } from './recognized-page.ts';
import type { TesseractBlock, TesseractLine } from './tesseract-reader.ts';

const flowingText = '1';
const flowingImage = '9';

/** An opening tag with its class and the properties in its title. */
const tag = /<(?:div|p|span) class='(\w+)'[^>]*? title=(?:'([^']*)'|"([^"]*)")[^>]*>/g;

/**
 * Reads hOCR as Tesseract writes it: areas of paragraphs of lines of words. It doesn't say which areas are tables.
 * @see https://kba.github.io/hocr-spec/1.2/
 */
export function readHocr(hocr: string): TesseractBlock[] {
  const blocks: TesseractBlock[] = [];
  let line: TesseractLine | undefined;
  for (const { 0: opening, 1: name, 2: single, 3: double, index } of hocr.matchAll(tag)) {
    const properties = single ?? double ?? '';
    const bbox = boxOf(properties);
    switch (name) {
      case 'ocr_page':
        break;
      case 'ocr_carea':
        blocks.push({ blocktype: flowingText, bbox, paragraphs: [] });
        break;
      case 'ocr_photo':
        blocks.push({ blocktype: flowingImage, bbox, paragraphs: [] });
        break;
      case 'ocr_par':
        blocks.at(-1)?.paragraphs.push({ lines: [] });
        break;
      case 'ocrx_word': {
        const start = index + opening.length;
        const text = textOf(hocr.slice(start, hocr.indexOf('</span>', start)));
        const [confidence = 0] = numbersOf(properties, 'x_wconf');
        line?.words.push({ text, confidence, bbox });
        break;
      }
      // A line has a class of its own where it is a heading or a caption.
      default:
        line = lineOf(properties, bbox);
        blocks.at(-1)?.paragraphs.at(-1)?.lines.push(line);
    }
  }
  return blocks;
}

function lineOf(properties: string, bbox: Box): TesseractLine {
  const { x0, x1, y0, y1 } = bbox;
  const [slope = 0, offset = 0] = numbersOf(properties, 'baseline');
  const [rowHeight = y1 - y0] = numbersOf(properties, 'x_size');
  const left = y1 + offset;
  const baseline = { x0, y0: left, x1, y1: left + slope * (x1 - x0) };
  return { baseline, rowAttributes: { rowHeight }, words: [] };
}

function boxOf(properties: string): Box {
  const [x0 = 0, y0 = 0, x1 = 0, y1 = 0] = numbersOf(properties, 'bbox');
  return { x0, y0, x1, y1 };
}

const numbersOf = (properties: string, name: string): number[] =>
  new RegExp(`\\b${name}((?: -?[\\d.]+)+)`).exec(properties)?.[1]?.trim().split(' ').map(Number) ??
  [];

const entities: Record<string, string> = {
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#39;': "'",
};

const textOf = (html: string) =>
  html.replace(/<[^>]*>/g, '').replace(/&(?:amp|lt|gt|quot|#39);/g, (name) => entities[name] ?? '');
