import type { Block, Markdown } from '../markdown.ts';

/** A slide of a presentation. */
export interface Slide {
  /** The paragraphs of its title. */
  titles: string[];
  blocks: Block[];
  /** What the speaker's notes say. */
  notes: string[];
}

/** Writes a slide, from 1, under its title. */
export function addSlide(
  markdown: Markdown,
  number: number,
  { titles, blocks, notes }: Slide,
): void {
  const title = titles.join(' ');
  markdown.add({ heading: title ? `Slide ${number}: ${title}` : `Slide ${number}`, level: 2 });
  for (const block of blocks) markdown.add(block);
  if (notes.length > 0) markdown.add({ paragraph: `Notes: ${notes.join('\n')}` });
}
