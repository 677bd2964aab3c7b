import type { Block } from '../markdown.ts';
import type { Archive } from './archive.ts';
import { attribute, readPart } from './xml.ts';

/** A longer series is a measurement, whose points are not read one by one. */
const maxPoints = 1_000;

interface Series {
  name: string;
  categories: string[];
  values: string[];
}

/** What the elements that hold points are to a series. */
const roles: Record<string, 'name' | 'categories' | 'values'> = {
  tx: 'name',
  cat: 'categories',
  xVal: 'categories',
  val: 'values',
  yVal: 'values',
};

/**
 * Returns a chart's title, and its data as a table: a row for each category, a column for each series.
 * @see https://ecma-international.org/publications-and-standards/standards/ecma-376/
 */
export function chartBlocks(archive: Archive, part: string): Block[] {
  const titles: string[] = [];
  const series: Series[] = [];
  let role: (typeof roles)[string] | undefined;
  let [isTitle, index, text] = [false, 0, ''];
  readPart(archive, part, {
    root: 'chartSpace',
    open: (name, attributes) => {
      if (name === 'title') isTitle = true;
      else if (name === 'ser') series.push({ name: '', categories: [], values: [] });
      else if (name === 'pt') index = Number(attribute(attributes, 'idx'));
      else role = (isTitle ? undefined : roles[name]) ?? role;
      text = '';
    },
    text: (piece) => {
      text += piece;
    },
    close: (name) => {
      const open = series.at(-1);
      if (name === 'title') isTitle = false;
      else if (name in roles) role = undefined;
      else if (isTitle && name === 't') titles.push(text);
      else if (name === 'v' && open && role === 'name') open.name = text;
      else if (name === 'v' && open && role && role !== 'name' && index < maxPoints) {
        open[role][index] = text;
      }
    },
  });
  const heading = titles.join(' ').trim();
  return [
    { paragraph: heading ? `Chart: ${heading}` : series.length > 0 ? 'Chart:' : '' },
    { table: tableOf(series) },
  ];
}

function tableOf(series: Series[]): string[][] {
  const categories = series.find((each) => each.categories.length > 0)?.categories ?? [];
  const length = Math.max(categories.length, ...series.map(({ values }) => values.length));
  if (length === 0 || series.length === 0) return [];
  const names = series.map(({ name }, index) => name || `Series ${index + 1}`);
  const rows = Array.from({ length }, (_, row) => [
    categories[row] ?? '',
    ...series.map(({ values }) => values[row] ?? ''),
  ]);
  return [['', ...names], ...rows];
}
