import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import {
  docxOf,
  openDocumentOf,
  pptxOf,
  shape,
  wordParagraph,
  xlsxOf,
} from '../../support/fixtures/office-files.ts';
import { pdfOf } from '../../support/fixtures/pdfs.ts';
import { type TestDrive, useDrive } from '../../support/servers/drive.ts';

let drive: TestDrive;
beforeAll(async () => {
  drive = await useDrive();
});

const search = async (q: string) => {
  const { data } = await drive.client.files.list({ q, fields: 'files(name)' });
  return data.files?.map(({ name }) => name);
};

describe('files are found by the words in', () => {
  beforeAll(async () => {
    drive.put('kinds/plain.txt', 'the amber lantern');
    drive.put('kinds/marked.md', '# The amber *lantern*');
    drive.put('kinds/table.csv', 'lamp,price\namber lantern,12\n');
    drive.put('kinds/data.json', '{"lamp":"amber lantern"}');
    drive.put('kinds/page.html', '<p>amber <b>lan</b>tern</p><script>var hidden</script>');
    drive.put('kinds/Minutes.gdoc', 'an amber lantern');
    drive.put('kinds/Figures.gsheet', 'amber,lantern\n');
    drive.put('kinds/Talk.gslides', 'amber lantern');
    drive.put('kinds/printed.pdf', await pdfOf([{ text: 'Letter about an amber lantern' }]));
    const split = '<w:p><w:r><w:t>amber lan</w:t></w:r><w:r><w:t>tern</w:t></w:r></w:p>';
    drive.put('kinds/report.docx', docxOf(`${split}${wordParagraph('end')}`));
    drive.put('kinds/slides.pptx', pptxOf([{ shapes: shape('', 'amber', 'lantern') }]));
    const row = '<row><c t="s"><v>0</v></c><c t="s"><v>1</v></c></row>';
    drive.put('kinds/sheet.xlsx', xlsxOf({ Lamps: row }, ['amber', 'lantern &amp; wick']));
    const lines = '<text:p>amber</text:p><text:p>lantern</text:p>';
    drive.put('kinds/text.odt', openDocumentOf('text', lines));
    drive.put('kinds/broken.docx', 'PK amber lantern');
    drive.put('kinds/amber lantern.bin', Buffer.alloc(8));
  });

  it('text, Google files, PDF, Office files and names', async () => {
    const found = await search("fullText contains 'amber lantern'");

    const names = ['plain.txt', 'marked.md', 'table.csv', 'data.json', 'Minutes', 'Figures'];
    const others = [
      'Talk',
      'page.html',
      'printed.pdf',
      'report.docx',
      'slides.pptx',
      'sheet.xlsx',
      'text.odt',
    ];
    expect(found?.sort()).toEqual([...names, ...others, 'amber lantern.bin'].sort());
  });

  it("no scripts of a page, and nothing of a file's own XML", async () => {
    expect(await search("fullText contains 'hidden'")).toEqual([]);
    expect(await search("fullText contains 'body'")).toEqual([]);
  });

  it('a sheet’s name', async () => {
    expect(await search("fullText contains 'Lamps'")).toEqual(['sheet.xlsx']);
  });
});

describe('a search', () => {
  let folder: string;
  const inFolder = (q: string) => search(`'${folder}' in parents and ${q}`);

  beforeAll(async () => {
    drive.put('words/once.txt', `The wick burns. ${'Other words. '.repeat(50)}`);
    drive.put('words/often.txt', 'A wick, a WICK, a wick. The lamp burns its wick.');
    drive.put('words/Wick.txt', 'nothing else');
    drive.put('words/wicked.txt', 'wicked things');
    drive.put('words/mail.txt', "ask O'Brien by e-mail at the old_mill");
    folder = await drive.idOf('words');
  });

  it('orders by relevance: a name counts most, then how often a word is there', async () => {
    expect(await inFolder("fullText contains 'wick'")).toEqual([
      'Wick.txt',
      'often.txt',
      'once.txt',
    ]);
  });

  it.each([
    ["fullText contains 'wick lamp'", ['often.txt']],
    ["fullText contains 'lamp WICK'", ['often.txt']],
    ['fullText contains \'"wick burns"\'', ['once.txt']],
    ['fullText contains \'"lamp burns" wick\'', ['often.txt']],
    ["fullText contains 'wic'", []],
    ["fullText contains 'O\\'Brien'", ['mail.txt']],
    ['fullText contains \'"e-mail at"\'', ['mail.txt']],
    ["fullText contains 'mill'", []],
    ["fullText contains ''", []],
    ["fullText contains 'wick' and name = 'once.txt' and trashed = false", ['once.txt']],
  ])('finds for %s %o', async (q, names) => {
    const found = await inFolder(q);

    expect(found?.sort()).toEqual(names.sort());
  });

  it('pages in its order', async () => {
    const q = `'${folder}' in parents and fullText contains 'wick'`;
    const fields = 'nextPageToken,files(name)';
    const first = await drive.client.files.list({ q, fields, pageSize: 2 });
    const pageToken = first.data.nextPageToken ?? '';

    const second = await drive.client.files.list({ q, fields, pageSize: 2, pageToken });

    const files = [...(first.data.files ?? []), ...(second.data.files ?? [])];
    expect(files.map(({ name }) => name)).toEqual(['Wick.txt', 'often.txt', 'once.txt']);
    expect(second.data.nextPageToken).toBeUndefined();
  });

  it('finds what a file says now', async () => {
    drive.put('words/changing.txt', 'before');
    const before = await inFolder("fullText contains 'before'");
    drive.put('words/changing.txt', 'and after');

    const [stale, fresh] = [
      await inFolder("fullText contains 'before'"),
      await inFolder("fullText contains 'after'"),
    ];

    expect([before, stale, fresh]).toEqual([['changing.txt'], [], ['changing.txt']]);
  });

  it('finds a shortcut by its name only', async () => {
    symlinkSync('often.txt', join(drive.folder, 'words/link'));

    expect(await inFolder("fullText contains 'lamp'")).toEqual(['often.txt']);
    expect(await inFolder("fullText contains 'link'")).toEqual(['link']);
  });

  it.each(["fullText = 'x'", "fullText != 'x'", 'fullText contains x'])(
    'is refused %s',
    async (q) => {
      const answer = drive.client.files.list({ q });

      await expect(answer).rejects.toMatchObject({ status: 400 });
    },
  );
});

it.each([
  ['Links.gdoc', 'Links', 'https://docs.google.com/document/d/', '/edit'],
  ['Rows.gsheet', 'Rows', 'https://docs.google.com/spreadsheets/d/', '/edit'],
  ['Deck.gslides', 'Deck', 'https://docs.google.com/presentation/d/', '/edit'],
  ['paper.pdf', 'paper.pdf', 'https://drive.google.com/file/d/', '/view'],
  ['inner/file', 'inner', 'https://drive.google.com/drive/folders/', ''],
])('%s has a link to its page', async (path, name, start, end) => {
  drive.put(`links/${path}`);
  const fileId = await drive.idOf(name);

  const { data } = await drive.client.files.get({ fileId, fields: 'webViewLink' });

  expect(data.webViewLink?.startsWith(`${start}${fileId}${end}`)).toBe(true);
});
