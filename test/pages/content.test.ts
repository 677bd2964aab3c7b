import { describe, expect, it } from 'vitest';
import { maxPageCharacters } from '../../shared/pages/page.ts';
import { cutOff, pdfOf } from '../support/fixtures/pdfs.ts';
import { minutes } from '../support/fixtures/sample-texts.ts';
import { characterErrorRate, scanOf, tableImageOf } from '../support/fixtures/scans.ts';
import { cases } from '../support/run/cases.ts';
import { read, readText, send, startSite } from './site.ts';

const unsupported = { unreadable: 'unsupported_type' };
const broken = { unreadable: 'broken' };

async function pageWith(body: string | Uint8Array, type: string, path = '/page') {
  const { origin } = await startSite({ [path]: send(body, { 'content-type': type }) });
  return origin + path;
}

/** Latin-1 has no quotes like these and no euro. */
const windows1252 = (text: string) =>
  Buffer.from(
    text.replaceAll('“', '\x93').replaceAll('”', '\x94').replaceAll('€', '\x80'),
    'latin1',
  );
const oldMeta = '<meta http-equiv=content-type content="text/html; charset=latin1">';
const utf16 = (text: string) => Buffer.from(text, 'utf16le');
const utf16be = (text: string) => utf16(text).swap16();

describe('the charset', () => {
  const html = (text: string, charset = '') =>
    `<!doctype html><meta charset="${charset}"><title>x</title><p>${text}`;
  const withMark = (bytes: Buffer, ...mark: number[]) => Buffer.from([...mark, ...bytes]);

  it.each<[string, string, Uint8Array]>([
    ['is UTF-8 if nothing else is said', 'text/html', Buffer.from(html('Grüße, 世界'))],
    [
      'is that of the header',
      'text/html; charset=utf-8',
      Buffer.from(html('Grüße, 世界', 'koi8-r')),
    ],
    [
      'is that of the header, quoted',
      'text/html; Charset="UTF-8"',
      Buffer.from(html('Grüße, 世界')),
    ],
    ['is that of the meta tag', 'text/html', Buffer.from(html('Grüße, 世界', 'utf-8'))],
    [
      'is that of the mark',
      'text/html',
      withMark(Buffer.from(html('Grüße, 世界')), 0xef, 0xbb, 0xbf),
    ],
    [
      'is that of the mark, not the header',
      'text/html; charset=latin1',
      withMark(Buffer.from(html('Grüße, 世界')), 0xef, 0xbb, 0xbf),
    ],
    ['is UTF-16, little end first', 'text/html', withMark(utf16(html('Grüße, 世界')), 0xff, 0xfe)],
    ['is UTF-16, big end first', 'text/html', withMark(utf16be(html('Grüße, 世界')), 0xfe, 0xff)],
    ['is UTF-16 by the header', 'text/html; charset=utf-16le', utf16(html('Grüße, 世界'))],
    [
      'is UTF-16 by the header, big end first',
      'text/html; charset=UTF-16BE',
      utf16be(html('Grüße, 世界')),
    ],
    ['is not UTF-16 by a meta tag', 'text/html', Buffer.from(html('Grüße, 世界', 'utf-16'))],
    [
      'is not one that is unknown',
      'text/html; charset=klingon',
      Buffer.from(html('Grüße, 世界', 'x')),
    ],
    [
      'is not UTF-16 if that makes no sense',
      'text/html; charset=utf-32',
      Buffer.from(html('Grüße, 世界')),
    ],
  ])('%s', { tags: 'exhaustive' }, async (_what, type, bytes) => {
    expect(await readText(await pageWith(bytes, type))).toMatchObject({ text: 'Grüße, 世界' });
  });

  it.each<[string, string, Uint8Array]>([
    ['by the header', 'text/html; charset=windows-1252', windows1252(html('“Grüße” €'))],
    ['by its older name', 'text/html; charset=ISO-8859-1', windows1252(html('“Grüße” €'))],
    ['by the meta tag', 'text/html', windows1252(html('“Grüße” €', 'windows-1252'))],
    ['by an older meta tag', 'text/html', windows1252(`${oldMeta}<p>“Grüße” €`)],
    ['if it is no UTF-8', 'text/html', windows1252(html('“Grüße” €'))],
    ['if it says UTF-8 and is none', 'text/html; charset=utf-8', windows1252(html('“Grüße” €'))],
  ])('is windows-1252 %s', async (_what, type, bytes) => {
    expect(await readText(await pageWith(bytes, type))).toMatchObject({ text: '“Grüße” €' });
  });

  it('is what most of the page is written in', async () => {
    const page = Buffer.concat([Buffer.from(`<p>${'Grüße '.repeat(50)}`), Buffer.from([0xfc])]);

    const { text } = await readText(await pageWith(page, 'text/html; charset=utf-8'));

    expect(text).toBe(`${'Grüße '.repeat(50)}\ufffd`);
  });

  it.each([
    ['shift_jis', [0x93, 0xfa, 0x96, 0x7b], '日本'],
    ['gb18030', [0xc4, 0xe3, 0xba, 0xc3], '你好'],
    ['koi8-r', [0xcd, 0xc9, 0xd2], 'мир'],
    ['euc-kr', [0xbe, 0xc8], '안'],
  ])('may be %s', async (charset, bytes, text) => {
    const page = Buffer.from(bytes);

    expect(await readText(await pageWith(page, `text/plain; charset=${charset}`))).toMatchObject({
      text,
    });
  });
});

describe('plain text and Markdown are taken as they are:', () => {
  it.each(['text/plain', 'text/markdown; charset=utf-8', 'text/x-markdown', 'TEXT/PLAIN'])(
    '%s',
    { tags: 'exhaustive' },
    async (type) => {
      const text = '# One\n\n  <b>two</b>  &amp; three\r\n';

      expect(await readText(await pageWith(text, type, '/docs/a%20b.md?c=d'))).toMatchObject({
        text,
        title: 'a b.md',
      });
    },
  );
});

describe('a page is what its content is', () => {
  it.each<[string, string, string, string]>([
    ['HTML without a type', '', '<p>hello', 'hello'],
    ['HTML as bytes', 'application/octet-stream', ' <!doctype html><p>hello', 'hello'],
    ['text without a type', '', 'hello <b>', 'hello <b>'],
    [
      'XHTML',
      'application/xhtml+xml',
      '<?xml version="1.0"?><html><body><p>hello</p></body></html>',
      'hello',
    ],
  ])('%s', { tags: 'exhaustive' }, async (_what, type, body, text) => {
    expect(await readText(await pageWith(body, type))).toMatchObject({ text });
  });

  it('a PDF that calls itself HTML', async () => {
    const pdf = await pdfOf([{ text: 'A page of a PDF.' }]);

    expect(await readText(await pageWith(pdf, 'text/html'))).toMatchObject({
      text: 'A page of a PDF.',
    });
  });

  it.each(['text/html', 'text/plain', 'application/octet-stream', ''])(
    'a picture that calls itself %s',
    async (type) => {
      const png = await tableImageOf([['a', 'b']]);

      expect(await read(await pageWith(png, type))).toEqual(unsupported);
    },
  );

  it.each(['text/html', 'text/plain', 'application/octet-stream'])(
    'rubbish that calls itself %s',
    async (type) => {
      const rubbish = Buffer.from(Array.from({ length: 10_000 }, (_, index) => (index * 7) % 251));

      expect(await read(await pageWith(rubbish, type))).toEqual(unsupported);
    },
  );

  it.each([
    'application/zip',
    'image/png',
    'video/mp4',
    'application/json',
    'text/css',
    'text/csv',
    'constructor',
    'x',
  ])('none, if its type is %s: its body is not waited for', async (type) => {
    const { origin } = await startSite({
      '/': (_request, response) => {
        response.writeHead(200, { 'content-type': type }).write('never ends');
      },
    });

    expect(await read(origin)).toEqual(unsupported);
  });

  it.each(['', ' \n\t ', '<title>only a title</title>', '<script>hello</script>'])(
    'broken, if there is no text in it: %j',
    async (body) => {
      expect(await read(await pageWith(body, 'text/html'))).toEqual(broken);
    },
  );
});

describe('a PDF', () => {
  it('is read from its text layer', async () => {
    const { title, text } = await readText(
      await pageWith(
        await pdfOf([{ text: minutes }, { text: 'Page two.' }]),
        'application/pdf',
        '/Minutes%20of%20March.pdf',
      ),
    );

    expect(title).toBe('Minutes of March.pdf');
    expect(characterErrorRate(`${minutes}\n\nPage two.`, text)).toBeLessThan(0.01);
  });

  it('has its pages without a text layer left out', { tags: 'exhaustive' }, async () => {
    const scan = await scanOf({ text: minutes, quality: 50 });
    const pdf = await pdfOf([
      { scan },
      { text: 'Page two.' },
      { blank: true },
      { hiddenText: 'no' },
    ]);

    expect(await readText(await pageWith(pdf, 'application/pdf'))).toMatchObject({
      text: 'Page two.',
    });
  });

  it('is broken without any text layer', { tags: 'exhaustive' }, async () => {
    const scan = await scanOf({ text: minutes, quality: 50 });

    expect(await read(await pageWith(await pdfOf([{ scan }]), 'application/pdf'))).toEqual(broken);
  });

  it('is broken if it is cut off, locked, empty or none', { tags: 'exhaustive' }, async () => {
    const pdf = await pdfOf([{ text: minutes }]);
    const locked = await pdfOf([{ text: minutes }], { userPassword: 'ellerby' });

    for (const bytes of [cutOff(pdf), locked, '', 'hello', '%PDF-1.7']) {
      expect(await read(await pageWith(bytes, 'application/pdf'))).toEqual(broken);
    }
  });

  it('of very many pages is read as far as its text is wanted', async () => {
    const pdf = await pdfOf(
      Array.from({ length: cases(250, 1_000) }, () => ({ text: 'A page of few words.' })),
    );

    const { text } = await readText(await pageWith(pdf, 'application/pdf'));

    expect(text.split('\n\n')).toHaveLength(200);
  });
});

describe('what is returned', () => {
  it('has no more characters than a page may have, and no half ones', async () => {
    const { text } = await readText(await pageWith(`a${'😀'.repeat(100_000)}`, 'text/plain'));

    expect(text).toHaveLength(maxPageCharacters);
    expect(text.isWellFormed()).toBe(true);
  });

  it('has no characters that control', async () => {
    const page = '<title>o\u0007ne</title><p>t\u0000w\u001bo\u009b';

    expect(
      await readText(await pageWith(`${page}${' three'.repeat(200)}`, 'text/html')),
    ).toMatchObject({ title: 'one', text: expect.stringMatching(/^two three/) });
  });

  it('has a title of three hundred characters at most', async () => {
    const page = await pageWith(`<title>${'a\n'.repeat(5_000)}</title><p>hello`, 'text/html');

    expect((await readText(page)).title).toBe('a '.repeat(150).trim());
  });

  it('has the host for a title if there is nothing else', async () => {
    const { origin } = await startSite({ '/': '<p>hello', '/%ff/': '<p>hello' });

    expect((await readText(origin)).title).toBe(new URL(origin).hostname);
    expect((await readText(`${origin}/%ff/`)).title).toBe('%ff');
  });
});
