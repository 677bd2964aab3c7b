import { describe, expect, it } from 'vitest';
import type { OfficeParts } from '../support/fixtures/office-files.ts';
import {
  docxOf,
  openDocumentOf,
  pptxOf,
  relationships,
  shape,
  wordParagraph,
  xlsxOf,
} from '../support/fixtures/office-files.ts';
import { officeText } from './office-text.ts';

const main = 'http://schemas.openxmlformats.org';
const word = `xmlns:w="${main}/wordprocessingml/2006/main"`;
const related = (...targets: [type: string, target: string][]): OfficeParts => ({
  'word/_rels/document.xml.rels': relationships(
    Object.fromEntries(targets.map((target, index) => [`r${index}`, target])),
  ),
});
const chart = `<c:chartSpace xmlns:c="c" xmlns:a="a"><c:chart><c:title><c:tx><a:t>Sales by region</a:t></c:tx></c:title>
  <c:barChart><c:ser><c:tx><c:v>2025</c:v></c:tx>
    <c:cat><c:pt idx="0"><c:v>North</c:v></c:pt><c:pt idx="1"><c:v>South</c:v></c:pt></c:cat>
    <c:val><c:pt idx="0"><c:v>41</c:v></c:pt><c:pt idx="1"><c:v>7</c:v></c:pt></c:val>
  </c:ser></c:barChart></c:chart></c:chartSpace>`;
const chartText =
  'Chart: Sales by region\n\n|  | 2025 |\n| --- | --- |\n| North | 41 |\n| South | 7 |';

describe('a chart', () => {
  const points = (role: string, ...values: [index: number, value: string][]) =>
    `<c:${role}>${values.map(([index, value]) => `<c:pt idx="${index}"><c:v>${value}</c:v></c:pt>`).join('')}</c:${role}>`;
  const series = (name: string, ...data: string[]) =>
    `<c:ser><c:tx><c:v>${name}</c:v></c:tx>${data.join('')}</c:ser>`;
  const textOf = (content: string) => {
    const parts = {
      'ppt/slides/_rels/slide1.xml.rels':
        related(['chart', '../c.xml'])['word/_rels/document.xml.rels'] ?? '',
      'ppt/c.xml': `<c:chartSpace xmlns:c="c" xmlns:a="a"><c:chart>${content}</c:chart></c:chartSpace>`,
    };
    const shapes = '<p:graphicFrame><c:chart xmlns:c="c" r:id="r0"/></p:graphicFrame>';
    return officeText(pptxOf([{ shapes }], parts), 'pptx').replace(/^## Slide 1\s*/, '');
  };

  it('without a title has the names of its series, and a number for one without', () => {
    const months = points('cat', [0, 'May'], [1, 'June']);
    const content = `${series('Lamps', months, points('val', [0, '4'], [1, '7']))}${series('', months, points('val', [1, '9']))}`;

    expect(textOf(content)).toBe(
      'Chart:\n\n|  | Lamps | Series 2 |\n| --- | --- | --- |\n| May | 4 |  |\n| June | 7 | 9 |',
    );
  });

  it('of points has the place of each, and the title of an axis beside its own', () => {
    const title = (text: string) => `<c:title><c:tx><a:t>${text}</a:t></c:tx></c:title>`;
    const content = `${title('Growth')}${series('Oak', points('xVal', [0, '1.5'], [1, '2']), points('yVal', [0, '30'], [1, '44']))}${title('Years')}`;

    expect(textOf(content)).toBe(
      'Chart: Growth Years\n\n|  | Oak |\n| --- | --- |\n| 1.5 | 30 |\n| 2 | 44 |',
    );
  });

  it('without data is a title alone, and without a title nothing', () => {
    expect(textOf('<c:title><c:tx><a:t>Soon</a:t></c:tx></c:title>')).toBe('Chart: Soon');
    expect(textOf('')).toBe('');
  });

  it('of a thousand points has them all, and no more', () => {
    const many = Array.from({ length: 1_003 }, (_, n): [number, string] => [n, String(n + 5_000)]);

    const lines = textOf(series('Volts', points('val', ...many))).split('\n');

    expect(lines.at(-1)).toBe('|  | 5999 |');
    expect(lines).toHaveLength(2 + 2 + 1_000);
  });
});

describe('a Word file shows', () => {
  it('what repeats at the head and foot of its pages once', () => {
    const parts = {
      ...related(['header', 'h1.xml'], ['header', 'h2.xml'], ['footer', 'f1.xml']),
      'word/h1.xml': `<w:hdr ${word}>${wordParagraph('VAT GB123456789')}</w:hdr>`,
      'word/h2.xml': `<w:hdr ${word}>${wordParagraph('VAT GB123456789')}</w:hdr>`,
      'word/f1.xml': `<w:ftr ${word}>${wordParagraph('IBAN 77')}</w:ftr>`,
    };

    expect(officeText(docxOf(wordParagraph('Body'), parts), 'docx')).toBe(
      'VAT GB123456789\n\nBody\n\nIBAN 77',
    );
  });

  it('raised and lowered letters, and no hidden ones', () => {
    const run = (text: string, style = '') =>
      `<w:r><w:rPr>${style}</w:rPr><w:t>${text}</w:t></w:r>`;
    const body = `<w:p>${run('10')}${run('6', '<w:vertAlign w:val="superscript"/>')}${run(' N, CO')}${run('2', '<w:vertAlign w:val="subscript"/>')}${run('1')}${run('st', '<w:vertAlign w:val="superscript"/>')}${run('2x', '<w:vertAlign w:val="superscript"/>')}${run('SECRET', '<w:vanish/>')}</w:p>`;

    expect(officeText(docxOf(body), 'docx')).toBe(
      '10⁶ N, CO₂1st^(2x)\n\n[Hidden sheets, rows, columns or text were left out.]',
    );
  });

  it('equations on one line', () => {
    const body = `<w:p><m:oMath xmlns:m="m"><m:f><m:num><m:r><m:t>12</m:t></m:r></m:num><m:den><m:r><m:t>a+5</m:t></m:r></m:den></m:f><m:r><m:t>=</m:t></m:r><m:sSup><m:e><m:r><m:t>x</m:t></m:r></m:e><m:sup><m:r><m:t>2</m:t></m:r></m:sup></m:sSup></m:oMath></w:p>`;

    expect(officeText(docxOf(body), 'docx')).toBe('12/(a+5)=x^2');
  });

  it('the numbers of its clauses as printed', () => {
    const level = (depth: number, format: string, text: string, start = 1) =>
      `<w:lvl w:ilvl="${depth}"><w:start w:val="${start}"/><w:numFmt w:val="${format}"/><w:lvlText w:val="${text}"/></w:lvl>`;
    const numbering = `<w:numbering ${word}><w:abstractNum w:abstractNumId="7">${level(0, 'decimal', '%1.', 4)}${level(1, 'decimal', '%1.%2')}${level(2, 'lowerLetter', '(%3)')}${level(3, 'upperRoman', '%4)')}</w:abstractNum>
      <w:num w:numId="1"><w:abstractNumId w:val="7"/></w:num>
      <w:num w:numId="2"><w:abstractNumId w:val="7"/><w:lvlOverride w:ilvl="0"><w:startOverride w:val="9"/></w:lvlOverride></w:num></w:numbering>`;
    const clause = (text: string, depth: number, id = 1, more = '') =>
      wordParagraph(
        text,
        `${more}<w:numPr><w:ilvl w:val="${depth}"/><w:numId w:val="${id}"/></w:numPr>`,
      );
    const body = [
      clause('Term', 0, 1, '<w:pStyle w:val="berschrift1"/>'),
      clause('Length', 1),
      clause('Notice', 1),
      clause('by letter', 2),
      clause('by fax', 2),
      clause('signed', 3),
      clause('Law', 0),
      clause('Court', 1),
      clause('Annex', 0, 2),
    ];

    const text = officeText(docxOf(body.join(''), { 'word/numbering.xml': numbering }), 'docx');

    expect(text).toBe(
      '# 4. Term\n\n  4.1 Length\n  4.2 Notice\n    (a) by letter\n    (b) by fax\n      I) signed\n5. Law\n  5.1 Court\n9. Annex',
    );
  });

  it('the fields of a form, comments, and a chart in its place', () => {
    const field = (data: string) =>
      `<w:r><w:fldChar w:fldCharType="begin"><w:ffData>${data}</w:ffData></w:fldChar></w:r>`;
    const list =
      '<w:ddList><w:result w:val="1"/><w:listEntry w:val="France"/><w:listEntry w:val="Norway"/></w:ddList>';
    const body = `<w:p><w:r><w:t>Agree: </w:t></w:r>${field('<w:checkBox><w:default w:val="0"/><w:checked/></w:checkBox>')}<w:r><w:t> in </w:t></w:r>${field(list)}</w:p>
      <w:p><c:chart xmlns:c="c" xmlns:r="r" r:id="r0"/></w:p>`;
    const parts = {
      ...related(['chart', 'chart1.xml'], ['comments', 'comments.xml']),
      'word/chart1.xml': chart,
      'word/comments.xml': `<w:comments ${word}><w:comment w:id="0">${wordParagraph('Legal must approve')}</w:comment></w:comments>`,
    };

    expect(officeText(docxOf(body, parts), 'docx')).toBe(
      `${chartText}\n\nAgree: ☒ in Norway\n\n[Comment: Legal must approve]`.replace(
        /^([\s\S]*)\n\n(Agree.*)\n\n/,
        '$2\n\n$1\n\n',
      ),
    );
  });

  it('what it takes in from another file', () => {
    const parts = {
      ...related(['aFChunk', 'chunk.html'], ['aFChunk', 'inner.docx']),
      'word/chunk.html': '<h1>Offer</h1><p>Total 450 EUR</p>',
      'word/inner.docx': docxOf(wordParagraph('from within')),
    };
    const body = '<w:altChunk xmlns:r="r" r:id="r0"/><w:altChunk xmlns:r="r" r:id="r1"/>';

    expect(officeText(docxOf(body, parts), 'docx')).toBe('# Offer\n\nTotal 450 EUR\n\nfrom within');
  });
});

describe('an Excel file shows', () => {
  const rows = (cells: string[][]) =>
    cells.map((row, at) => `<row r="${at + 1}">${row.join('')}</row>`).join('');
  const text = (ref: string, value: string) => `<c r="${ref}" t="str"><v>${value}</v></c>`;

  it('a formula whose value is not kept', () => {
    const file = xlsxOf({ S: rows([[text('A1', 'total'), '<c r="B1"><f>SUM(B2:B3)</f></c>']]) });

    expect(officeText(file, 'xlsx')).toContain('| total | =SUM(B2:B3) |');
  });

  it('no hidden rows, and a merged cell in each of its rows', () => {
    const sheet = `${rows([[text('A1', 'Team'), text('B1', 'Name')], [text('A2', 'Sales'), text('B2', 'Ann')], [text('B3', 'Bob')]])}<row r="4" hidden="1">${text('A4', 'SECRET')}</row>`;

    const merged = '<mergeCells><mergeCell ref="A2:A3"/></mergeCells>';
    const shown = officeText(xlsxOf({ S: sheet }, [], '', merged), 'xlsx');

    expect(shown).toContain('| Sales | Ann |\n| Sales | Bob |');
    expect(shown).not.toContain('SECRET');
    expect(shown).toContain('[Hidden sheets, rows, columns or text were left out.]');
  });
});

it('a PowerPoint file shows its shapes from the top down, and side by side', () => {
  const at = (x: number, y: number, text: string) =>
    shape('', text).replace(
      '<p:txBody>',
      `<p:spPr><a:xfrm><a:off x="${x}" y="${y}"/></a:xfrm></p:spPr><p:txBody>`,
    );
  const shapes = [
    at(0, 4_000_000, 'Step four'),
    at(5_000_000, 950_000, 'Step two'),
    at(0, 2_000_000, 'Step three'),
    at(0, 914_400, 'Step one'),
  ];

  expect(officeText(pptxOf([{ shapes: shapes.join('') }]), 'pptx')).toBe(
    '## Slide 1\n\nStep one\n\nStep two\n\nStep three\n\nStep four',
  );
});

it('a PowerPoint file shows a diagram of SmartArt, and a chart', () => {
  const parts = {
    'ppt/slides/_rels/slide1.xml.rels': relationships({
      d: ['diagramData', '../d.xml'],
      c: ['chart', '../c.xml'],
    }),
    'ppt/d.xml':
      '<dgm:dataModel xmlns:dgm="d" xmlns:a="a"><dgm:pt type="doc"/><dgm:pt><dgm:t><a:p><a:r><a:t>Chief Engineer</a:t></a:r></a:p></dgm:t></dgm:pt></dgm:dataModel>',
    'ppt/c.xml': chart,
  };
  const shapes =
    '<p:graphicFrame><dgm:relIds xmlns:dgm="d" r:dm="d"/></p:graphicFrame><p:graphicFrame><c:chart xmlns:c="c" r:id="c"/></p:graphicFrame>';

  expect(officeText(pptxOf([{ shapes }], parts), 'pptx')).toBe(
    `## Slide 1\n\nChief Engineer\n\n${chartText}`,
  );
});

it('an OpenDocument text shows comments, raised letters, and the edges of its pages', () => {
  const styles =
    '<style:style xmlns:style="s" style:name="T1"><style:text-properties style:text-position="super 58%"/></style:style>';
  const parts = {
    'styles.xml':
      '<office:document-styles xmlns:office="o" xmlns:style="s" xmlns:text="t"><style:header><text:p>Heron Ltd</text:p></style:header><style:footer><text:p>IBAN 77</text:p></style:footer></office:document-styles>',
  };
  const body =
    '<text:p>10<text:span text:style-name="T1">6</text:span> N<office:annotation><dc:creator xmlns:dc="d">Ann</dc:creator><text:p>check this</text:p></office:annotation></text:p>';

  expect(officeText(openDocumentOf('text', body, { styles, parts }), 'odt')).toBe(
    'Heron Ltd\n\n10⁶ N\n\nIBAN 77\n\n[Comment: check this]',
  );
});
