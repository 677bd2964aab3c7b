import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { htmlText } from '../../shared/documents/html-text.ts';
import { htmlText as pageText } from '../../shared/pages/page-text.ts';
import { cases } from '../support/run/cases.ts';

const read = (html: string, maxCharacters = 1_000_000) => htmlText(html, maxCharacters);

describe('the text of a page has', () => {
  it.each([
    ['headings', '<h1>Lamps</h1><h3>of <i>brass</i></h3>', '# Lamps\n\n### of brass'],
    [
      'paragraphs that nobody closed',
      '<p>one<p>two<div>three<br>four</div>five',
      'one\n\ntwo\n\nthree\nfour\n\nfive',
    ],
    ['lists', '<ol><li>a<ul><li>b</li></ul><li><p>c</p></ol>', '1. a\n  - b\n2. c'],
    [
      'tables',
      '<table><tr><th>Lamp<th>Price<tr><td>a|b<td><p>1</p><p>2</p></table>',
      '| Lamp | Price |\n| --- | --- |\n| a\\|b | 1 2 |',
    ],
    [
      'cells whose elements nobody closed',
      '<table><tr><td><p>a<td><font>b<tr><th>c<td>d<th>e</table>',
      '| a | b |  |\n| --- | --- | --- |\n| c | d | e |',
    ],
    ['cells without a row', '<table><td>a<td>b</table>', '| a | b |\n| --- | --- |'],
    [
      'cells that reach over columns and rows',
      '<table><tr><th rowspan=2>Lamp<th colspan=2>Price<tr><th>net<th>gross<tr><td>brass<td>1<td>2</table>',
      '| Lamp | Price |  |\n| --- | --- | --- |\n|  | net | gross |\n| brass | 1 | 2 |',
    ],
    [
      'cells that reach down to the end of their group of rows alone',
      '<table><thead><tr><th rowspan=2>A<th>B</thead><tbody><tr><td rowspan=0>1<td>2</tbody><tbody><tr><td>3<td>4</tbody></table>',
      '| A | B |\n| --- | --- |\n| 1 | 2 |\n| 3 | 4 |',
    ],
    ['paragraphs of another namespace', '<h:p>one</h:p><h:p>two</h:p>', 'one\n\ntwo'],
    [
      'no script that HTML does not end where it seems to',
      '<script src="a.js" />x()</script><table><tr><td/>1<td/>2</table>',
      '| 1 | 2 |\n| --- | --- |',
    ],
    [
      'cells of rowspan 0 and of a huge colspan',
      '<table><tr><td rowspan=0>a<td>b<tr></tr><tr><td colspan=1e99>c<tr><td>d</table>',
      '| a | b |\n| --- | --- |\n|  | c |\n|  | d |',
    ],
    [
      'the numbers of lists',
      '<ol start=5><li>a<li>b<li value=9>c<li>d</ol>',
      '5. a\n6. b\n9. c\n10. d',
    ],
    [
      'what stands after elements that close themselves, as in XHTML',
      '<?xml version="1.0"?><body><script src="a.js"/><p>one</p><div><iframe src="b"/><p>two</p></div><![CDATA[three]]>',
      'one\n\ntwo\n\nthree',
    ],
    [
      'characters without their readings',
      '<p>吾輩は<ruby>猫<rp>(</rp><rt>ねこ</rt><rp>)</rp></ruby>で<ruby>有<rt>あ</ruby>る',
      '吾輩は猫で有る',
    ],
    [
      'what Office marks in a line, within it',
      '<p>From <st1:City w:st="on">Paris</st1:City> <nobr>by train</nobr><o:p></o:p></p>',
      'From Paris by train',
    ],
    [
      'quotes',
      '<blockquote>one<blockquote><p>two</blockquote>three',
      '> one\n> \n> > two\n> \n> three',
    ],
    [
      'preformatted text with its lines, in a fence longer than those within',
      '<pre><code>if (a) {\n  <b>b</b>\n\n  ```</code></pre>text',
      '````\nif (a) {\n  b\n\n  ```\n````\n\ntext',
    ],
    [
      'all that an item holds below its sign',
      '<ol><li>one<p>two<pre>a\n  b</pre><blockquote>three<br>four</blockquote></ol>',
      '1. one\n  two\n  ```\n  a\n    b\n  ```\n  > three\n  > four',
    ],
    [
      'items of lists in lists that no item holds',
      '<ul><li>a<li><ol><li>b</ol></li><ol><li>c</ol></ul>',
      '- a\n- 1. b\n  1. c',
    ],
    ['buttons apart from the words beside them', 'a<button>b</button>c', 'a b c'],
    ['what is filled in', 'a<textarea>b</textarea>c', 'a\n\nb\n\nc'],
    ['items without a list', '<li>a</li>b', '- a\n\nb'],
    ['no heading and no item behind an empty one', '<h2> </h2><p>a<ul><li></ul>b', 'a\n\nb'],
    [
      'headings of several lines in one',
      '<h1>Lamps<br>of brass</h1>text',
      '# Lamps of brass\n\ntext',
    ],
    [
      'the lists of a table without a head and columns, which is there for the layout',
      '<table><tr><td>a<ul><li>b<li>c</ul>d<tr><td>e</table>',
      'a\n\n- b\n- c\n\nd\n\ne',
    ],
    [
      'the lists of any other table in their cells',
      '<table><tr><td>a<td>b<tr><td>c<td><ul><li>d<li>e</ul></table>',
      '| a | b |\n| --- | --- |\n| c | d e |',
    ],
    [
      'the headings in the head of a table',
      '<table><tr><th><h3>a</h3><th><h3>b</h3><tr><td>c<td>d</table>',
      '| a | b |\n| --- | --- |\n| c | d |',
    ],
    [
      'tables in tables one after the other, with the rows before',
      '<table><tr><th>a<th>b<tr><td colspan=2><table><tr><td>c<td>d</table>e<tr><td>f</table>g',
      '| a | b |\n| --- | --- |\n\n| c | d |\n| --- | --- |\n\ne\n\nf\n\ng',
    ],
    [
      'nothing that is hidden',
      'a<p hidden>b<p>c<div style="display: none">d<pre>e</pre></div>f',
      'a\n\nc\n\nf',
    ],
    [
      'what stands in a body that is hidden until its script runs',
      '<body style="display:none">a',
      'a',
    ],
    ['entities', 'a &amp; b&nbsp;&eacute;', 'a & b é'],
    [
      'nothing of scripts, styles and heads',
      '<head><title>t</title></head><script>if (a < b) x()</script><style>p{}</style>text',
      'text',
    ],
    [
      'nothing that Office writes into a head',
      '<html><head><xml><o:PixelsPerInch>96</o:PixelsPerInch></xml></head><body>text',
      'text',
    ],
    [
      'what stands after a head that nobody closed',
      '<!doctype html><html><head><meta charset=utf-8><title>t</title><style>p{}</style><link rel=a><h1>Lamps</h1><p>text',
      '# Lamps\n\ntext',
    ],
    [
      'what stands after one that nobody closed, without an element',
      '<html><head><title>t</title><script>x()</script>text',
      'text',
    ],
    ['nothing', '', ''],
  ])('%s', (_, html, text) => {
    expect(read(html)).toBe(text);
  });
});

it('each word of a page is read once, whatever elements begin and end around it', () => {
  const names =
    'p div ul ol li blockquote pre xmp table tr td th tbody caption h1 h2 b br dl dd dir section option rt keygen menuitem plaintext h:p';
  const tags = names.split(' ').flatMap((name) => [`<${name}>`, `</${name}>`]);
  const piece = fc.oneof(fc.constantFrom(...tags), fc.constant('word'));
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
      const html = pieces.map((each, at) => (each === 'word' ? `word${at}. ` : each)).join('');
      const words = html.match(/word\d+/g)?.toSorted();

      for (const text of [read(html), pageText(html).text]) {
        expect(text.match(/word\d+/g)?.toSorted()).toEqual(words);
      }
    }),
    { numRuns: cases(300, 10_000) },
  );
});

it('a text ends where it is as long as it may be', () => {
  expect(read('<p>one</p><p>two</p>', 6)).toBe('one\n\nt');
});

it('what is nested without end is refused with 422', () => {
  expect(() => read('<div>'.repeat(1_000_000))).toThrow(
    expect.objectContaining({ statusCode: 422, code: 'unreadable_document' }),
  );
});

it('lists and quotes that are nested very deep have no more before their lines than a few signs', () => {
  const deep = (tag: string) => `<${tag}>`.repeat(4_000);

  expect(read(`${deep('blockquote')}a<br>b`)).toMatch(/^(> ){16,17}a\n(> ){16,17}b$/);
  expect(read(`${deep('ul')}${'<p>a</p>'.repeat(1_000)}`)).toMatch(/^ {30}- a(\n {30}- a){999}$/);
});

it('a paragraph of very many lines has all of them', () => {
  const lines = Array.from({ length: 100_000 }, (_, at) => `line ${at}`);

  expect(read(lines.join('<br>'), 20_000_000)).toBe(lines.join('\n'));
});

it('preformatted text of line breaks is indented as far as there is room', () => {
  const lines = `<pre>a${'\n'.repeat(5_000_000)}b</pre>`;

  expect(read(`${'<blockquote>'.repeat(8)}${lines}`, 20_000_000)).toHaveLength(20_000_000);
});

it('a table with more rows than the longest sheet is refused with 422, and one with as many is read', {
  tags: 'exhaustive',
}, () => {
  const table = (rows: number) => `<table>${'<tr><td>a'.repeat(rows)}</table>`;

  expect(read(table(1_048_576), 20_000_000)).toHaveLength(1_048_576 * 2 - 1);
  expect(() => read(table(1_048_577), 20_000_000)).toThrow(
    expect.objectContaining({
      statusCode: 422,
      message: "The document can't be read: a table of it has more than 1048576 rows.",
    }),
  );
});

it('a text that begins no line is read up to the characters that are allowed', () => {
  expect(read(`<b>${'word  '.repeat(1_000)}</b>`.repeat(1_000), 23)).toBe(
    'word word word word wor',
  );
});
