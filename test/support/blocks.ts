import type { Block, BlockType } from '@aws-sdk/client-textract';

/** Where a line stands: left, top and right, in shares of the page; a fiftieth high. */
export type LinePlace = readonly [left: number, top: number, right: number];

type Printed = Block & { Id: string };

const lineHeight = 0.02;
let count = 0;

/** A line with its words, spread over its width. */
export function lineBlocks(
  text: string,
  [left, top, right]: LinePlace,
  confidence = 90,
): Printed[] {
  const words = text.split(' ');
  const step = (right - left) / words.length;
  const wordBlocks = words.map((word, index) =>
    block('WORD', [left + index * step, top, left + (index + 1) * step], [], {
      Text: word,
      Confidence: confidence,
    }),
  );
  return [block('LINE', [left, top, right], wordBlocks, { Text: text }), ...wordBlocks];
}

/** Lines of a column, one below the other. */
export function columnBlocks(texts: readonly string[], [left, top, right]: LinePlace): Printed[] {
  return texts.flatMap((text, index) => lineBlocks(text, [left, top + index * 0.025, right]));
}

/** A part of the layout with the lines of some blocks, or with parts nested. */
export function layoutBlock(type: string, blocks: readonly Printed[]): Printed {
  const parts = blocks.filter(({ BlockType = '' }) => /^(LINE|LAYOUT_.*)$/.test(BlockType));
  const places = parts.flatMap(({ Geometry }) => Geometry?.BoundingBox ?? []);
  const left = Math.min(...places.map(({ Left = 0 }) => Left));
  const top = Math.min(...places.map(({ Top = 0 }) => Top));
  const right = Math.max(...places.map(({ Left = 0, Width = 0 }) => Left + Width));
  return block(`LAYOUT_${type}` as BlockType, [left, top, right], parts);
}

/** A table whose cells have the words of the given lines, by rows; then the cells. */
export function tableBlocks(rows: readonly (readonly Printed[])[][], place: LinePlace): Printed[] {
  const cells = rows.flatMap((row, down) =>
    row.map((content, column) =>
      block(
        'CELL',
        place,
        content.filter(({ BlockType }) => BlockType !== 'LINE'),
        { RowIndex: down + 1, ColumnIndex: column + 1, RowSpan: 1, ColumnSpan: 1 },
      ),
    ),
  );
  return [block('TABLE', place, cells), ...cells];
}

/** Any block. */
export function block(
  type: BlockType,
  [left, top, right]: LinePlace,
  children: readonly Printed[],
  rest: Block = {},
): Printed {
  const Relationships: Block['Relationships'] = [
    { Type: 'CHILD', Ids: children.map(({ Id }) => Id) },
  ];
  return {
    ...rest,
    BlockType: type,
    Id: `block-${count++}`,
    Geometry: {
      BoundingBox: { Left: left, Top: top, Width: right - left, Height: lineHeight },
      Polygon: [
        { X: left, Y: top },
        { X: right, Y: top },
        { X: right, Y: top + lineHeight },
        { X: left, Y: top + lineHeight },
      ],
    },
    ...(children.length > 0 && { Relationships }),
  };
}

/** The same blocks on a page turned by quarters, clockwise; its height becomes its width. */
export function turned(blocks: readonly Printed[], quarters: number): Printed[] {
  return blocks.map((each) => {
    const Polygon = (each.Geometry?.Polygon ?? []).map(({ X = 0, Y = 0 }) =>
      Array.from({ length: quarters }).reduce<{ X: number; Y: number }>(
        (point) => ({ X: 1 - point.Y, Y: point.X }),
        { X, Y },
      ),
    );
    return { ...each, Geometry: { Polygon } };
  });
}
