import { unzipSync } from 'fflate';
import { describe, expect, it } from 'vitest';
import { officeKindOf } from '../../shared/documents/office-kind.ts';
import {
  archiveOf,
  docxOf,
  openDocumentOf,
  pptxOf,
  relationships,
  shape,
  wordParagraph,
  xlsxOf,
} from '../support/fixtures/office-files.ts';
import { officeText } from './office-text.ts';

const list = (depth: number) => `<w:numPr><w:ilvl w:val="${depth}"/><w:numId w:val="1"/></w:numPr>`;
const style = (id: string) => `<w:pStyle w:val="${id}"/>`;
const wordCell = (text: string, properties = '') =>
  `<w:tc><w:tcPr>${properties}</w:tcPr>${wordParagraph(text)}</w:tc>`;

describe('the text of a Word file has', () => {
  it('headings by their styles, in whatever language, and by those they are based on', () => {
    const body = [
      wordParagraph('Lamps', style('berschrift1')),
      wordParagraph('Brass', style('Own')),
      wordParagraph('Own level', '<w:outlineLvl w:val="1"/>'),
      wordParagraph('Text', '<w:outlineLvl w:val="9"/>'),
    ];

    const text = officeText(docxOf(body.join('')), 'docx');

    expect(text).toBe('# Lamps\n\n### Brass\n\n## Own level\n\nText');
  });

  it('lists, numbered on where they were interrupted', () => {
    const body = [
      wordParagraph('first', list(0)),
      wordParagraph('inner', list(1)),
      wordParagraph('second', list(0)),
      wordParagraph('between'),
      wordParagraph('third', list(0)),
      wordParagraph('none', '<w:numPr><w:ilvl w:val="0"/><w:numId w:val="0"/></w:numPr>'),
    ];

    const text = officeText(docxOf(body.join('')), 'docx');

    expect(text).toBe('1. first\n  - inner\n2. second\n\nbetween\n\n3. third\n\nnone');
  });

  it('tables, with cells that reach over columns, and tables in cells as text', () => {
    const inner = `<w:tbl><w:tr>${wordCell('in')}${wordCell('ner')}</w:tr></w:tbl>`;
    const body = `<w:tbl>
      <w:tr>${wordCell('Lamp')}${wordCell('Price | net')}${wordCell('Stock')}</w:tr>
      <w:tr>${wordCell('Storm', '<w:gridSpan w:val="2"/>')}<w:tc>${inner}${wordParagraph('12')}</w:tc></w:tr>
      <w:tr>${wordCell('')}${wordCell('')}${wordCell('')}</w:tr>
    </w:tbl>`;

    const text = officeText(docxOf(body), 'docx');

    expect(text).toBe(
      '| Lamp | Price \\| net | Stock |\n| --- | --- | --- |\n| Storm |  | in ner 12 |',
    );
  });

  it('runs put together, tabs and breaks, and nothing that was deleted, moved or hidden in codes', () => {
    const body = `<w:p><w:pPr><w:tabs><w:tab w:val="left"/></w:tabs></w:pPr>
      <w:r><w:t xml:space="preserve">Half a </w:t></w:r><w:ins><w:r><w:t>wo</w:t></w:r></w:ins><w:r><w:t>rd</w:t><w:tab/><w:t>next</w:t><w:br/><w:t>line &amp; &#xe9;nd</w:t></w:r>
      <w:del><w:r><w:delText>deleted</w:delText></w:r></w:del>
      <w:moveFrom><w:r><w:t>moved away</w:t></w:r></w:moveFrom>
      <w:r><w:instrText>PAGEREF _Toc1</w:instrText></w:r></w:p>`;

    const text = officeText(docxOf(body), 'docx');

    expect(text).toBe('Half a word next\nline & énd');
  });

  it('text boxes once, and footnotes at its end', () => {
    const box = `<w:txbxContent>${wordParagraph('boxed')}</w:txbxContent>`;
    const body = `<w:p><w:r><mc:AlternateContent xmlns:mc="mc"><mc:Choice>${box}</mc:Choice>
      <mc:Fallback>${box}</mc:Fallback></mc:AlternateContent></w:r>
      <w:r><w:t>text</w:t><w:footnoteReference w:id="2"/></w:r></w:p>`;
    const footnotes = `<w:footnotes xmlns:w="w">
      <w:footnote w:id="0" w:type="separator">${wordParagraph('-----')}</w:footnote>
      <w:footnote w:id="2">${wordParagraph('a note')}</w:footnote></w:footnotes>`;

    const text = officeText(docxOf(body, { 'word/footnotes.xml': footnotes }), 'docx');

    expect(text).toBe('boxed\n\ntext[^2]\n\n[^2]: a note');
  });

  it('its text, wherever its main part lies and whatever its prefixes are', () => {
    const document =
      '<x:document xmlns:x="x"><x:body><x:p><x:r><x:t>elsewhere</x:t></x:r></x:p></x:body></x:document>';
    const parts = {
      '_rels/.rels': relationships({ rId1: ['officeDocument', '/other/document2.xml'] }),
      'other/document2.xml': document,
    };

    expect(officeText(docxOf('', parts), 'docx')).toBe('elsewhere');
  });

  it('nothing of what lies outside the file', () => {
    const outside = `<Relationships><Relationship Id="rId1" TargetMode="External"
      Type="x/officeDocument" Target="https://example.com/document.xml"/></Relationships>`;

    const text = officeText(docxOf(wordParagraph('inside'), { '_rels/.rels': outside }), 'docx');

    expect(text).toBe('inside');
  });

  it('its text in UTF-16', () => {
    const xml =
      '\ufeff<w:document xmlns:w="w"><w:body><w:p><w:r><w:t>ﬂåme</w:t></w:r></w:p></w:body></w:document>';
    const file = docxOf('', { 'word/document.xml': Buffer.from(xml, 'utf16le') });

    expect(officeText(file, 'docx')).toBe('ﬂåme');
  });
});

describe('the text of a PowerPoint file has', () => {
  it('its slides in order, with titles, lists, tables and notes', () => {
    const cell = (text: string) =>
      `<a:tc><a:txBody><a:p><a:r><a:t>${text}</a:t></a:r></a:p></a:txBody></a:tc>`;
    const table = `<p:graphicFrame><a:tbl><a:tr>${cell('Year')}${cell('Lamps')}</a:tr><a:tr>${cell('1897')}${cell('412')}</a:tr></a:tbl></p:graphicFrame>`;
    const nested =
      '<p:sp><p:nvPr><p:ph idx="1"/></p:nvPr><a:p><a:r><a:t>one</a:t></a:r></a:p><a:p><a:pPr lvl="1"/><a:r><a:t>deeper</a:t></a:r></a:p><a:p><a:pPr><a:buNone/></a:pPr><a:r><a:t>plain</a:t></a:r></a:p></p:sp>';
    const file = pptxOf([
      {
        shapes: `${shape('<p:ph type="sldNum"/>', '1')}${nested}${shape('<p:ph type="ctrTitle"/>', 'Lamps &amp; light')}`,
        notes: `${shape('<p:ph type="sldImg"/>', 'picture')}${shape('<p:ph type="body" idx="1"/>', 'Speak up.', 'Twice.')}`,
      },
      { shapes: `${table}${shape('', 'in a box')}` },
    ]);

    const text = officeText(file, 'pptx');

    expect(text).toBe(
      '## Slide 1: Lamps & light\n\n- one\n  - deeper\n\nplain\n\nNotes: Speak up.\nTwice.\n\n' +
        '## Slide 2\n\n| Year | Lamps |\n| --- | --- |\n| 1897 | 412 |\n\nin a box',
    );
  });
});

describe('the text of an Excel file has', () => {
  it('each sheet as a table under its name, without empty rows and columns', () => {
    const orders =
      '<row r="1"><c r="B1" t="s"><v>0</v></c><c r="E1" t="s"><v>1</v></c></row><row r="2"><c r="A2"/></row><row r="9"><c r="B9" t="inlineStr"><is><t>Ellerby</t></is></c><c r="E9"><f>SUM(A1:A2)</f><v>40</v></c></row><row r="10"><c r="E10" t="s"><v>99</v></c></row>';
    const file = xlsxOf({ Orders: orders, Notes: '<row><c t="str"><v>alone</v></c></row>' }, [
      'Town',
      'Lamps',
    ]);

    const text = officeText(file, 'xlsx');

    expect(text).toBe(
      '## Sheet: Orders\n\n| Town | Lamps |\n| --- | --- |\n| Ellerby | 40 |\n\n## Sheet: Notes\n\nalone',
    );
  });

  it('dates as dates, numbers without the noise of fractions, and other values as they are', () => {
    const cells = [
      '<c s="1"><v>45293</v></c>',
      '<c s="1"><v>45293.75</v></c>',
      '<c s="1"><v>0.5</v></c>',
      '<c s="1"><v>59.24999999</v></c>',
      '<c s="2"><v>45293</v></c>',
      '<c><v>0.30000000000000004</v></c>',
      '<c t="b"><v>1</v></c>',
      '<c t="e"><v>#N/A</v></c>',
    ];

    const text = officeText(xlsxOf({ S: `<row>${cells.join('')}</row>` }), 'xlsx');

    expect(text).toContain(
      '| 2024-01-02 | 2024-01-02 18:00:00 | 12:00:00 | 1900-02-28 06:00:00 | 45293 days | 0.3 | TRUE | #N/A |',
    );
  });

  it('durations as hours, minutes and seconds, however many days they last', () => {
    const codes = ['[h]:mm:ss', '[$-409][hh]:mm;@', '[mm]:ss', '[s]'];
    const formats = codes.map((code, n) => `<numFmt numFmtId="${n + 171}" formatCode="${code}"/>`);
    const ids = [46, 171, 172, 173, 174];
    const styles = `<styleSheet><numFmts>${formats.join('')}</numFmts>
      <cellXfs>${ids.map((id) => `<xf numFmtId="${id}"/>`).join('')}</cellXfs></styleSheet>`;
    const cells = ids.map((_, n) => `<c s="${n}"><v>1.6041666666666667</v></c>`);
    const others = [0.0208333333333333, 0, 100, -1].map((days) => `<c s="0"><v>${days}</v></c>`);
    const rows = [cells, others].map((row) => `<row>${row.join('')}</row>`).join('');
    const parts = unzipSync(xlsxOf({ S: rows }, [], 'date1904="1"'));
    const file = archiveOf({ ...parts, 'xl/styles.xml': styles });

    const text = officeText(file, 'xlsx');

    expect(text).toContain(`|${' 38:30:00 |'.repeat(5)}\n`);
    expect(text).toContain('| 00:30:00 | 00:00:00 | 2400:00:00 | -1 |  |');
  });

  it('dates that are counted from 1904', () => {
    const cell = '<row><c s="1"><v>43831</v></c></row>';

    const text = officeText(xlsxOf({ S: cell }, [], 'date1904="1"'), 'xlsx');

    expect(text).toContain('2024-01-02');
  });
});

describe('the text of an OpenDocument file has', () => {
  it('headings, lists and notes of a text', () => {
    const styles =
      '<text:list-style style:name="L1"><text:list-level-style-number text:level="1"/><text:list-level-style-bullet text:level="2"/></text:list-style>';
    const note =
      '<text:note><text:note-citation>1</text:note-citation><text:note-body><text:p>a note</text:p></text:note-body></text:note>';
    const body = `
      <text:tracked-changes><text:p>deleted</text:p></text:tracked-changes>
      <text:h text:outline-level="2">Lamps</text:h>
      <text:p>Spread <text:s text:c="3"/>out<text:tab/>and
        <text:span>joined</text:span>${note}<office:annotation><text:p>comment</text:p></office:annotation></text:p>
      <text:list text:style-name="L1">
        <text:list-item><text:p>first</text:p><text:p>more of it</text:p>
          <text:list><text:list-item><text:p>inner</text:p></text:list-item></text:list></text:list-item>
        <text:list-item><text:p>second</text:p></text:list-item>
      </text:list>`;

    const text = officeText(openDocumentOf('text', body, { styles }), 'odt');

    expect(text).toBe(
      '## Lamps\n\nSpread    out and joined[^1]\n\n1. first\n\nmore of it\n\n  - inner\n2. second\n\n[^1]: a note\n\n[Comment: comment]',
    );
  });

  it('its text, though its manifest names a document type', () => {
    const manifest = `<?xml version="1.0" encoding="UTF-8"?>
      <!DOCTYPE manifest:manifest PUBLIC "-//OpenOffice.org//DTD Manifest 1.0//EN" "Manifest.dtd">
      <manifest:manifest xmlns:manifest="http://openoffice.org/2001/manifest"/>`;
    const parts = { 'META-INF/manifest.xml': manifest };

    expect(officeText(openDocumentOf('text', '<text:p>old</text:p>', { parts }), 'odt')).toBe(
      'old',
    );
  });

  it('the slides of a presentation', () => {
    const box = (text: string, name: string) =>
      `<draw:frame presentation:class="${name}"><draw:text-box><text:p>${text}</text:p></draw:text-box></draw:frame>`;
    const body = `<draw:page>${box('below', 'outline')}${box('Lamps', 'title')}
      <presentation:notes>${box('Speak up.', 'notes')}</presentation:notes></draw:page>
      <draw:page>${box('second', 'outline')}</draw:page>`;

    const text = officeText(openDocumentOf('presentation', body), 'odp');

    expect(text).toBe('## Slide 1: Lamps\n\nbelow\n\nNotes: Speak up.\n\n## Slide 2\n\nsecond');
  });

  it('the sheets of a spreadsheet, whose cells and rows may stand for many', () => {
    const cell = (text: string, repeats = 1) =>
      `<table:table-cell table:number-columns-repeated="${repeats}">${text && `<text:p>${text}</text:p>`}</table:table-cell>`;
    const body = `<table:table table:name="Orders">
      <table:table-header-rows><table:table-row>${cell('a')}${cell('', 3)}${cell('b', 2)}</table:table-row></table:table-header-rows>
      <table:table-row table:number-rows-repeated="2">${cell('1')}${cell('', 4)}${cell('2')}${cell('', 16000)}</table:table-row>
      <table:table-row table:number-rows-repeated="1048000">${cell('', 16384)}</table:table-row>
    </table:table>`;

    const text = officeText(openDocumentOf('spreadsheet', body), 'ods');

    expect(text).toBe(
      '## Sheet: Orders\n\n| a | b | b |\n| --- | --- | --- |\n| 1 |  | 2 |\n| 1 |  | 2 |',
    );
  });
});

it('a text ends where it is as long as it may be', () => {
  const body = Array.from({ length: 50 }, (_, n) => wordParagraph(`paragraph ${n}`)).join('');

  expect(officeText(docxOf(body), 'docx', 25)).toBe('paragraph 0\n\nparagraph 1\n');
});

describe('the Office format that a file seems to have', () => {
  const word = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document';

  it.each([
    ['application/octet-stream', 'Report.DOCX', 'docx'],
    [word, 'Report', 'docx'],
    [`${word}; charset=binary`, 'Report 2.1', 'docx'],
    [word, 'Figures.xlsx', 'xlsx'],
    ['application/vnd.oasis.opendocument.presentation', 'Talk', 'odp'],
    ['application/vnd.ms-word.document.macroEnabled.12', 'Report.docm', undefined],
    ['application/msword', 'Report.doc', undefined],
    ['application/zip', 'Report.zip', undefined],
    ['constructor', 'constructor', undefined],
  ])('by %s and %s: %s', (type, name, kind) => {
    expect(officeKindOf(type, name)).toBe(kind);
  });
});
