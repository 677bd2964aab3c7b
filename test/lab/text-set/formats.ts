import { emailOf, epubOf, rtfOf } from '../../support/fixtures/common-documents.ts';
import {
  archiveOf,
  docxOf,
  openDocumentOf,
  pptxOf,
  shape,
  wordParagraph,
  xlsxOf,
} from '../../support/fixtures/office-files.ts';
import type { Paper, Piece } from './papers.ts';
import { drawnPdf } from './pdf-layouts.ts';

type Make = (paper: Paper) => Uint8Array | string | Promise<Uint8Array>;

const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');

/** Writes a paper piece by piece. */
const written =
  (
    write: { [Of in 'heading' | 'text' | 'item']: (text: string) => string } & {
      table: (rows: string[][]) => string;
    },
  ) =>
  (piece: Piece): string => {
    if ('heading' in piece) return write.heading(escaped(piece.heading));
    if ('text' in piece) return write.text(escaped(piece.text));
    if ('rows' in piece) return write.table(piece.rows.map((row) => row.map(escaped)));
    return piece.items.map((item) => write.item(escaped(item))).join('');
  };

const joined = (pieces: Piece[], write: (piece: Piece) => string) => pieces.map(write).join('\n');

const each = (cells: string[], write: (cell: string) => string) => cells.map(write).join('');

const htmlPiece = written({
  heading: (text) => `<h2>${text}</h2>`,
  text: (text) => `<p>${text}</p>`,
  item: (text) => `<ul><li>${text}</li></ul>`,
  table: ([head = [], ...rows]) =>
    `<table><tr>${each(head, (cell) => `<th>${cell}</th>`)}</tr>${each(
      rows.map((row) => each(row, (cell) => `<td>${cell}</td>`)),
      (row) => `<tr>${row}</tr>`,
    )}</table>`,
});

const page = ({ name, pieces }: Paper) =>
  `<!doctype html><html><head><meta charset="utf-8"><title>${name}</title></head><body>${joined(pieces, htmlPiece)}</body></html>`;

const wordPiece = written({
  heading: (text) => wordParagraph(text, '<w:pStyle w:val="berschrift1"/>'),
  text: (text) => wordParagraph(text),
  item: (text) => wordParagraph(text, '<w:numPr><w:ilvl w:val="1"/><w:numId w:val="1"/></w:numPr>'),
  table: (rows) =>
    `<w:tbl><w:tblPr/><w:tblGrid/>${each(
      rows.map((row) => each(row, (cell) => `<w:tc>${wordParagraph(cell)}</w:tc>`)),
      (row) => `<w:tr>${row}</w:tr>`,
    )}</w:tbl>`,
});

/** What other readers want beside what ours reads. */
const contentTypes = (main: string, part: string) =>
  `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/${part}" ContentType="application/vnd.openxmlformats-officedocument.${main}.main+xml"/></Types>`;

const openPiece = written({
  heading: (text) => `<text:h text:outline-level="2">${text}</text:h>`,
  text: (text) => `<text:p>${text}</text:p>`,
  item: (text) =>
    `<text:list><text:list-item><text:p>${text}</text:p></text:list-item></text:list>`,
  table: (rows) => `<table:table>${openRows(rows)}</table:table>`,
});

const openRows = (rows: string[][]) =>
  each(
    rows.map((row) =>
      each(row, (cell) => `<table:table-cell><text:p>${cell}</text:p></table:table-cell>`),
    ),
    (row) => `<table:table-row>${row}</table:table-row>`,
  );

const rtfText = (text: string) =>
  text.replaceAll(/[^\x20-\x7e]/g, (sign) => `\\u${sign.charCodeAt(0)}?`).replaceAll('&amp;', '&');

const rtfPiece = written({
  heading: (text) => `\\pard\\outlinelevel0 ${rtfText(text)}\\par`,
  text: (text) => `\\pard ${rtfText(text)}\\par`,
  item: (text) => `\\pard{\\listtext\\bullet\\tab}\\ls1 ${rtfText(text)}\\par`,
  table: (rows) =>
    each(
      rows
        .map((row) => row.map(rtfText))
        .map(
          (row) =>
            `\\trowd${each(row, (_) => '\\cellx1000')}\\pard\\intbl ${each(row, (cell) => `${cell}\\cell `)}`,
        ),
      (row) => `${row}\\row `,
    ),
});

const tableShape = (rows: string[][]) =>
  `<p:graphicFrame><a:graphic><a:graphicData><a:tbl>${each(
    rows.map((row) =>
      each(
        row,
        (cell) => `<a:tc><a:txBody><a:p><a:r><a:t>${cell}</a:t></a:r></a:p></a:txBody></a:tc>`,
      ),
    ),
    (row) => `<a:tr>${row}</a:tr>`,
  )}</a:tbl></a:graphicData></a:graphic></p:graphicFrame>`;

const slidePiece = written({
  heading: (text) => shape('<p:ph type="title"/>', text),
  text: (text) => shape('', text),
  item: (text) => shape('', text),
  table: tableShape,
});

/** A slide begins with each heading. */
const slides = ({ pieces }: Paper) => {
  const found: Piece[][] = [];
  for (const piece of pieces) {
    if ('heading' in piece) found.push([piece]);
    else found.at(-1)?.push(piece);
  }
  return found.map((some) => ({ shapes: joined(some, slidePiece) }));
};

/** Each piece is a sheet of its own. */
const sheets = ({ pieces }: Paper) =>
  pieces.map((piece, index) => ({
    name: `S${index + 1}`,
    rows:
      'rows' in piece
        ? piece.rows.map((row) => row.map(escaped))
        : Object.values(piece)
            .flat()
            .map((line: string) => [escaped(line)]),
  }));

const sheetRows = (rows: string[][]) =>
  each(
    rows.map((row) => each(row, (cell) => `<c t="inlineStr"><is><t>${cell}</t></is></c>`)),
    (row) => `<row>${row}</row>`,
  );

const markdown = ({ pieces }: Paper) =>
  pieces
    .map((piece) => {
      if ('heading' in piece) return `## ${piece.heading}`;
      if ('text' in piece) return piece.text;
      if ('items' in piece) return piece.items.map((item) => `- ${item}`).join('\n');
      const [head = [], ...rows] = piece.rows;
      return [head, head.map(() => '---'), ...rows]
        .map((row) => `| ${row.join(' | ')} |`)
        .join('\n');
    })
    .join('\n\n');

const attached = (paper: Paper) => ({
  name: `${paper.name}.html`,
  type: 'text/html',
  bytes: page(paper),
});

/** How a paper becomes a file of each format, by the end of its name. Files of the same ending have names of their own. */
export const formats: Record<string, Make> = {
  '.pdf': (paper) => drawnPdf(paper, {}),
  '-columns.pdf': (paper) => drawnPdf(paper, { columns: 2 }),
  '-narrow.pdf': (paper) => drawnPdf(paper, { tableWidth: 300 }),
  '-plain.pdf': (paper) => drawnPdf(paper, { rules: false }),
  '-turned.pdf': (paper) => drawnPdf(paper, { turned: true }),
  '.docx': ({ pieces }) =>
    docxOf(joined(pieces, wordPiece), {
      '[Content_Types].xml': contentTypes('wordprocessingml.document', 'word/document.xml'),
    }),
  '.odt': ({ pieces }) => openDocumentOf('text', joined(pieces, openPiece)),
  '.rtf': ({ pieces }) => rtfOf(joined(pieces, rtfPiece)),
  '.html': page,
  '.epub': ({ pieces }) => epubOf([joined(pieces, htmlPiece)]),
  '.eml': (paper) => emailOf({ text: 'See below.', html: page(paper) }),
  '-attached.eml': (paper) => emailOf({ text: 'Attached.', files: [attached(paper)] }),
  '.pptx': (paper) =>
    pptxOf(slides(paper), {
      '[Content_Types].xml': contentTypes('presentationml.presentation', 'ppt/presentation.xml'),
    }),
  '.xlsx': (paper) =>
    xlsxOf(
      Object.fromEntries(sheets(paper).map(({ name, rows }) => [name, sheetRows(rows)])),
      [],
      '',
      '',
      { '[Content_Types].xml': contentTypes('spreadsheetml.sheet', 'xl/workbook.xml') },
    ),
  '.ods': (paper) =>
    openDocumentOf(
      'spreadsheet',
      each(
        sheets(paper).map(
          ({ name, rows }) => `<table:table table:name="${name}">${openRows(rows)}</table:table>`,
        ),
        (sheet) => sheet,
      ),
    ),
  '.zip': (paper) => archiveOf({ [`${paper.name}.md`]: markdown(paper) }),
  '-1252.txt': (paper) => Buffer.from(latin(markdown(paper)), 'latin1'),
};

/** A text as bytes of windows-1252, one for each letter. */
const latin = (text: string) => text.replaceAll('€', '\x80').replaceAll('’', '\x92');
