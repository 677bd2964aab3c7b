import type { Block } from '../markdown.ts';
import type { Archive } from './archive.ts';
import { chartBlocks } from './charts.ts';
import { partWhere, type Relationship } from './relationships.ts';
import { type Attributes, attribute, readPart } from './xml.ts';

/** Returns what a chart or a diagram shows, by the element in its place; nothing for another element. */
export function shownBy(
  archive: Archive,
  relationships: readonly Relationship[],
  name: string,
  attributes: Attributes,
): Block[] {
  const id = name === 'chart' ? relationshipId(attributes) : attribute(attributes, 'dm');
  if ((name !== 'chart' && name !== 'relIds') || id === undefined) return [];
  const part = partWhere(archive, relationships, (each) => each.id === id);
  if (!part) return [];
  return name === 'chart' ? chartBlocks(archive, part) : textsOf(archive, part, 'dataModel');
}

/** Returns the paragraphs of a part that is drawn: a diagram's data, or the drawings of a sheet. */
export function textsOf(
  archive: Archive,
  part: string,
  root: string,
  onOpen?: (name: string, attributes: Attributes) => Block[],
): Block[] {
  const blocks: Block[] = [];
  let [paragraph, isText] = ['', false];
  readPart(archive, part, {
    root,
    skipped: new Set(['Fallback']),
    open: (name, attributes) => {
      isText = name === 't' && !('type' in attributes);
      if (name === 'p') paragraph = '';
      else if (name === 'br') paragraph += '\n';
      else if (name !== root) blocks.push(...(onOpen?.(name, attributes) ?? []));
    },
    text: (text) => {
      if (isText) paragraph += text;
    },
    close: (name) => {
      isText = false;
      if (name === 'p') blocks.push({ paragraph });
    },
  });
  return blocks;
}

/** Returns the attribute `r:id`, which may stand beside a plain `id`. */
export const relationshipId = (attributes: Attributes): string =>
  attributes[Object.keys(attributes).find((key) => key.endsWith(':id')) ?? ''] ?? '';
