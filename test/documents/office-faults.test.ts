import fc from 'fast-check';
import { unzipSync, Zip, ZipDeflate } from 'fflate';
import { describe, expect, it } from 'vitest';
import type { OfficeKind } from '../../shared/documents/office-kind.ts';
import { ServiceError } from '../../shared/http/errors.ts';
import {
  archiveOf,
  docxOf,
  openDocumentOf,
  pptxOf,
  shape,
  wordParagraph,
  xlsxOf,
} from '../support/fixtures/office-files.ts';
import { cutOff } from '../support/fixtures/pdfs.ts';
import { cases } from '../support/run/cases.ts';
import { officeText } from './office-text.ts';

function failureOf(bytes: Uint8Array, kind: OfficeKind = 'docx'): unknown {
  try {
    return officeText(bytes, kind);
  } catch (error) {
    return error;
  }
}

const refusal = (why: string, code = 'unreadable_document') => ({
  statusCode: 422,
  code,
  retryAfterSeconds: null,
  message: expect.stringContaining(why),
});

const document = (xml: string | Uint8Array) => docxOf('', { 'word/document.xml': xml });

describe('a file is refused with 422', () => {
  it.each<[string, Uint8Array, object]>([
    ['that is text', Buffer.from('Dear Mr Okafor'), refusal('end is missing')],
    ['that is cut off', cutOff(docxOf(wordParagraph('whole'))), refusal('end is missing')],
    ['without its main part', archiveOf({ 'a.txt': 'a' }), refusal('word/document.xml is missing')],
    ['of another kind', xlsxOf({}), refusal('XML is broken')],
    [
      'whose XML stops',
      document('<w:document><w:body><w:p><w:r><w:t>half'),
      refusal('XML is broken'),
    ],
    ['whose XML stops in a tag', document('<w:document><w:bo'), refusal('XML is broken')],
    [
      'whose tags cross',
      document('<w:document><a><b></a></b></w:document>'),
      refusal('XML is broken'),
    ],
    ['without XML', document('no element'), refusal('XML is broken')],
    ['with two roots', document('<w:document/><w:document/>'), refusal('XML is broken')],
    [
      'that declares entities',
      document('<!DOCTYPE d [<!ENTITY a "aaaa">]><w:document>&a;</w:document>'),
      refusal('XML is broken'),
    ],
    [
      'that declares entities after what looks like the end of its document type',
      document('<!DOCTYPE d SYSTEM "a>b" [<!ENTITY a "aaaa">]><w:document>&a;</w:document>'),
      refusal('XML is broken'),
    ],
    [
      'that names a document type within its root',
      document('<w:document><!DOCTYPE d></w:document>'),
      refusal('XML is broken'),
    ],
    [
      'whose bytes are no text',
      document(Buffer.from('<w:document>\xff</w:document>', 'latin1')),
      refusal('XML is broken'),
    ],
    [
      'that is nested without end',
      document(`<w:document>${'<w:p>'.repeat(100_000)}`),
      refusal('nested too deep'),
    ],
    [
      'with more than 2,000 parts',
      archiveOf(Object.fromEntries(Array.from({ length: 2_001 }, (_, n) => [`part${n}`, '']))),
      refusal('2000 parts'),
    ],
    [
      'whose parts would leave their folder',
      archiveOf({ '../evil.xml': 'a' }),
      refusal('unsafe name'),
    ],
    ['whose parts have absolute names', archiveOf({ '/etc/evil': 'a' }), refusal('unsafe name')],
    [
      'whose parts have names of Windows',
      archiveOf({ 'word\\a.xml': 'a' }),
      refusal('unsafe name'),
    ],
  ])('%s', { tags: 'exhaustive' }, (_, bytes, expected) => {
    const error = failureOf(bytes);

    expect(error).toBeInstanceOf(ServiceError);
    expect(error).toMatchObject(expected);
  });

  it('whose content is encrypted, as OpenDocument does', () => {
    const manifest =
      '<m:manifest xmlns:m="m"><m:file-entry><m:encryption-data/></m:file-entry></m:manifest>';
    const parts = { 'META-INF/manifest.xml': manifest, 'content.xml': Buffer.alloc(64, 7) };

    const error = failureOf(openDocumentOf('text', '', { parts }), 'odt');

    expect(error).toMatchObject({ statusCode: 422, code: 'encrypted_document' });
  });

  it('whose entries are encrypted, as ZIP does', () => {
    const bytes = Buffer.from(docxOf(wordParagraph('secret')));
    for (let at = bytes.indexOf('PK\x01\x02'); at >= 0; at = bytes.indexOf('PK\x01\x02', at + 1)) {
      bytes.writeUInt16LE(1, at + 8);
    }

    expect(failureOf(bytes)).toMatchObject({ statusCode: 422, code: 'encrypted_document' });
  });
});

describe('a bomb fills no memory', () => {
  it.each<[string, () => Uint8Array]>([
    ['of one large part', () => document(`<w:document>${'<w:p/>'.repeat(5_000_000)}`)],
    [
      'that lies about its size',
      () => lying(archiveOf({ 'word/document.xml': `<w:document>${' '.repeat(30_000_000)}` })),
    ],
    [
      'of parts that are large together',
      () =>
        docxOf('', {
          'word/styles.xml': `<w:styles>${padding(34_000)}</w:styles>`,
          'word/numbering.xml': `<w:numbering>${padding(34_000)}</w:numbering>`,
          'word/document.xml': `<w:document>${padding(34_000)}</w:document>`,
        }),
    ],
    [
      'of one part that is larger than any',
      () => document(`<w:document>${padding(52_000)}</w:document>`),
    ],
  ])('%s', { tags: 'exhaustive' }, (_, make) => {
    const bytes = make();

    const error = failureOf(bytes);

    expect(error).toMatchObject(refusal('too large when it is unpacked'));
  });

  it('of cells that all repeat a long text', () => {
    const cells = '<c t="s"><v>0</v></c>'.repeat(20_000);
    const file = xlsxOf({ S: `<row>${cells}</row>`.repeat(5) }, ['x'.repeat(100_000)]);

    const text = officeText(file, 'xlsx', 400_000);

    expect(text.length).toBe(400_000);
  });

  it('of rows and cells that stand for very many', () => {
    const cell =
      '<table:table-cell table:number-columns-repeated="999999"><text:p>x</text:p></table:table-cell>';
    const row = `<table:table-row table:number-rows-repeated="999999">${cell}</table:table-row>`;
    const file = openDocumentOf('spreadsheet', `<table:table>${row.repeat(200)}</table:table>`);

    const text = officeText(file, 'ods', 400_000);

    expect(text.length).toBe(400_000);
  });

  it('of spaces that stand for very many', () => {
    const file = openDocumentOf('text', '<text:p>a<text:s text:c="999999999"/>b</text:p>');

    expect(officeText(file, 'odt').length).toBe(102);
  });
});

describe('a number that can not be keeps nothing from being read', () => {
  it.each(['-3', '0.5', '1000000000'])(
    'a cell of a Word file that reaches over %s columns',
    (span) => {
      const properties = `<w:tcPr><w:gridSpan w:val="${span}"/></w:tcPr>`;
      const cells = `<w:tc>${properties}${wordParagraph('a')}</w:tc><w:tc>${wordParagraph('b')}</w:tc>`;
      const file = docxOf(`<w:tbl><w:tr>${cells}</w:tr></w:tbl>`);

      expect(officeText(file, 'docx')).toBe('| a | b |\n| --- | --- |');
    },
  );

  it('a cell of OpenDocument that stands for one and a half', () => {
    const cells =
      '<table:table-cell table:number-columns-repeated="1.5"><text:p>a</text:p></table:table-cell><table:table-cell><text:p>b</text:p></table:table-cell>';
    const file = openDocumentOf(
      'text',
      `<table:table><table:table-row>${cells}</table:table-row></table:table>`,
    );

    expect(officeText(file, 'odt')).toBe('| a | b |\n| --- | --- |');
  });

  it('an item on a slide whose depth is below zero', () => {
    const shapes = shape('<p:ph type="body"/>', 'item').replace('<a:p>', '<a:p><a:pPr lvl="-1"/>');

    expect(officeText(pptxOf([{ shapes }]), 'pptx')).toBe('## Slide 1\n\n- item');
  });
});

it('very many rows in a footnote are read', () => {
  const rows = '<w:tr><w:tc><w:p><w:t>x</w:t></w:p></w:tc></w:tr>'.repeat(130_000);
  const note = `<w:footnote w:id="1"><w:tbl>${rows}</w:tbl></w:footnote>`;
  const file = docxOf('', { 'word/footnotes.xml': `<w:footnotes>${note}</w:footnotes>` });

  expect(officeText(file, 'docx')).toHaveLength('[^1]: '.length + 130_000 * 2 - 1);
});

it('very many paragraphs in the notes of a slide are read', () => {
  const paragraphs = '<a:p><a:t>x</a:t></a:p>'.repeat(130_000);
  const notes = shape('<p:ph type="body"/>', 'x').replace('<a:p>', `${paragraphs}<a:p>`);
  const file = pptxOf([{ shapes: '', notes }]);

  expect(officeText(file, 'pptx')).toHaveLength('## Slide 1\n\nNotes: '.length + 130_001 * 2 - 1);
});

it('a format of numbers that opens very many brackets is read within its time', () => {
  const styles = `<styleSheet><numFmts><numFmt formatCode="${'['.repeat(300_000)}"/></numFmts></styleSheet>`;
  const parts = unzipSync(xlsxOf({ S: '<row><c><v>1</v></c></row>' }));
  const file = archiveOf({ ...parts, 'xl/styles.xml': styles });

  expect(officeText(file, 'xlsx')).toBe('## Sheet: S\n\n1');
});

/** So many kilobytes that shrink to a fiftieth, as written text may. */
function padding(kilobytes: number): string {
  const line = (n: number) => `${n * 7_919_000_003}`.padEnd(1_000, '.');
  return Array.from({ length: kilobytes }, (_, n) => line(n)).join('');
}

/** The same archive, whose directory says that each part is small. */
function lying(bytes: Uint8Array): Uint8Array {
  const file = Buffer.from(bytes);
  for (let at = file.indexOf('PK\x01\x02'); at >= 0; at = file.indexOf('PK\x01\x02', at + 1)) {
    file.writeUInt32LE(100, at + 24);
  }
  return file;
}

it('an archive that was written as a stream, with the sizes after the data, is read', () => {
  const chunks: Uint8Array[] = [];
  const zip = new Zip((_error, chunk) => chunks.push(chunk));
  const part = new ZipDeflate('word/document.xml');
  zip.add(part);
  part.push(Buffer.from('<w:document><w:p><w:r><w:t>PK\x03\x04 streamed'), false);
  part.push(Buffer.from('</w:t></w:r></w:p></w:document>'), true);
  zip.end();

  expect(officeText(Buffer.concat(chunks), 'docx')).toBe('PK\x03\x04 streamed');
});

describe('whatever is done to a file, it is read or refused with 422', () => {
  const files: [OfficeKind, Uint8Array][] = [
    [
      'docx',
      docxOf(
        `${wordParagraph('one')}<w:tbl><w:tr><w:tc>${wordParagraph('two')}</w:tc></w:tr></w:tbl>`,
      ),
    ],
    [
      'pptx',
      pptxOf([{ shapes: shape('<p:ph type="title"/>', 'Title'), notes: shape('', 'note') }]),
    ],
    ['xlsx', xlsxOf({ S: '<row><c r="A1" t="s"><v>0</v></c></row>' }, ['text'])],
    [
      'ods',
      openDocumentOf(
        'spreadsheet',
        '<table:table table:name="S"><table:table-row><table:table-cell><text:p>x</text:p></table:table-cell></table:table-row></table:table>',
      ),
    ],
  ];

  it.each(files)('%s with bytes that are changed', (kind, file) => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.nat(file.length - 1), fc.nat(255)), { minLength: 1, maxLength: 6 }),
        (changes) => {
          const bytes = file.slice();
          for (const [at, byte] of changes) bytes[at] = byte;

          const outcome = failureOf(bytes, kind);

          if (typeof outcome === 'string') return;
          expect(outcome).toMatchObject({ name: 'ServiceError', statusCode: 422 });
        },
      ),
      { numRuns: cases(40, 300) },
    );
  });

  it('a Word file with any XML', () => {
    const piece = fc.constantFrom(
      ...['<w:p>', '</w:p>', '<w:tbl>', '</w:tbl>', '<w:tr>', '</w:tr>', '<w:tc>', '</w:tc>'],
      ...['<w:t>', '</w:t>', 'x', '<w:footnote>', '</w:footnote>', '<w:gridSpan w:val="-3"/>'],
      ...['<w:numId w:val="1"/>', '<w:ilvl w:val="99"/>', '<w:outlineLvl w:val="-1"/>', '<w:br/>'],
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
        const xml = `<w:document>${pieces.join('')}</w:document>`;

        const outcome = failureOf(archiveOf({ 'word/document.xml': xml }));

        if (typeof outcome === 'string') return;
        expect(outcome).toMatchObject({ name: 'ServiceError', statusCode: 422 });
      }),
      { numRuns: cases(40, 300) },
    );
  });
});
