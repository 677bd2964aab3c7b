import { describe, expect, it } from 'vitest';
import { htmlText } from '../../shared/pages/page-text.ts';
import { minutes } from '../support/fixtures/sample-texts.ts';
import { cases } from '../support/run/cases.ts';

const textOf = (html: string) => htmlText(html).text;
const paragraphs = minutes.split('\n\n').map((text) => `<p>${text.replaceAll('&', '&amp;')}</p>`);

describe('an article', () => {
  const page = `<!doctype html><html lang="en"><head>
    <title>Minutes of March | Tarn &amp; Wick</title>
    <meta name="author" content="Ines Tarn">
    <style>p { color: red }</style><script>document.write('<p>script')</script>
    </head><body><nav><ul><li><a href="/">Home</a></li><li><a href="/shop">Shop</a></li></ul></nav>
    <main><article><h1>Minutes of "March"</h1>${paragraphs.join('\n')}
    <h2>Orders</h2><ol><li>Brass</li><li>Canvas<ul><li>heavy</li></ul></li></ol>
    <table><tr><th>Month</th><th>Pounds</th></tr><tr><td>January</td><td>38,900</td></tr>
    <tr><td>February</td><td>41,280</td></tr></table></article></main>
    <aside class="sidebar"><p>Buy our lamps, they are the brightest in the valley.</p></aside>
    <footer>Tarn &amp; Wick, since 1871</footer></body></html>`;

  it('is taken out of its page', () => {
    const { title, text } = htmlText(page);

    expect(title).toBe('Minutes of March | Tarn & Wick');
    expect(text).toContain(minutes);
    for (const noise of ['Home', 'Shop', 'Buy our lamps', 'since 1871', 'script', 'color']) {
      expect(text).not.toContain(noise);
    }
  });

  it('keeps its headings, lists and tables', () => {
    expect(textOf(page)).toContain(
      [
        '## Orders',
        '1. Brass\n2. Canvas\n  - heavy',
        '| Month | Pounds |\n| --- | --- |\n| January | 38,900 |\n| February | 41,280 |',
      ].join('\n\n'),
    );
  });
});

describe('a page without an article gives all of its text:', () => {
  it.each<[string, string, string]>([
    ['nothing but text', 'hello', 'hello'],
    ['no html, head or body', '<p>one<p>two', 'one\n\ntwo'],
    ['headings', '<h1>One</h1>text<h3>Two <b>three</b></h3>', '# One\n\ntext\n\n### Two three'],
    ['an empty heading', '<h1> </h1><p>text', 'text'],
    ['lists', '<ul><li>one<li>two<p>three</ul>', '- one\n- two\n  three'],
    ['lists in lists', '<ul><li>one<ol><li>two</ol><li>three</ul>', '- one\n  1. two\n- three'],
    ['a list with other children', '<ul><p>one</p><li>two</ul>', '- one\n- two'],
    ['definitions', '<dl><dt>one<dd>two<dt>three</dl>', 'one\n\ntwo\n\nthree'],
    ['links', '<p><a href="/x">one</a> and <a href="/y">two</a>', 'one and two'],
    ['links around blocks', '<a href="/x"><div>one</div><div>two</div></a>', 'one\n\ntwo'],
    ['line breaks', 'one<br>two<br><br><br><br>three', 'one\ntwo\n\nthree'],
    ['quotes', '<blockquote><p>one<p>two</blockquote>', '> one\n> \n> two'],
    ['code', '<pre>  a\n    b\n</pre>', '```\n  a\n    b\n```'],
    [
      'code with lines',
      '<pre>a<br>b<div>c</div><div>d <i hidden>e</i>f</div></pre>',
      '```\na\nbc\nd f\n```',
    ],
    ['code with a fence', '<pre>```\na</pre>', '````\n```\na\n````'],
    ['spaces', ' <p> one\n\n two  <b> three </b> four &nbsp; five', 'one two three four five'],
    ['words in pieces', 'w<b>or</b>d<span>s</span>', 'words'],
    [
      'entities',
      '&lt;b&gt; &amp;amp; &eacute;&#8364;&#x1F600; &unknown; &',
      '<b> &amp; é€😀 &unknown; &',
    ],
    ['a pipe in a cell', '<table><tr><td>a|b<td>c</table>', '| a\\|b | c |\n| --- | --- |'],
    [
      'a cell with paragraphs',
      '<table><tr><td><p>a<p>b<td>c</table>',
      '| a b | c |\n| --- | --- |',
    ],
    ['a caption', '<table><caption>Title</caption><tr><td>a</table>', 'Title\n\na'],
    [
      'cells that reach over columns and rows',
      '<table><tr><th rowspan=2>Lamp<th colspan=2>Price<tr><th>net<th>gross<tr><td>brass<td>1<td>2</table>',
      '| Lamp | Price |  |\n| --- | --- | --- |\n|  | net | gross |\n| brass | 1 | 2 |',
    ],
    [
      'a bar after a backslash in a cell',
      '<table><tr><td>a\\|b<td>c</table>',
      '| a\\\\\\|b | c |\n| --- | --- |',
    ],
    ['the numbers of a list', '<ol start=5><li>a<li value=9>b</ol>', '5. a\n9. b'],
    ['characters without their readings', '<ruby>猫<rp>(<rt>ねこ<rp>)</ruby>だ', '猫だ'],
    ['an empty table', '<table><tr><td> </table>text', 'text'],
    [
      'a table for layout',
      '<table><tr><td><h2>a</h2><td><table><tr><td>b</table></table>',
      '## a\n\nb',
    ],
    ['custom elements', '<my-card>one</my-card><p><x-y>two</x-y> three', 'one\n\ntwo three'],
    [
      'tags closed in the wrong order',
      '<p><b>one <i>two</b> three</i></p><p>four',
      'one two three\n\nfour',
    ],
    ['tags that are never closed', '<div><section><p>one<div>two', 'one\n\ntwo'],
    ['tags that are closed only', '</div>one</p></b>two', 'onetwo'],
    ['a tag that is cut off', 'one<a href="x', 'one'],
    ['names from Object', '<constructor>one</constructor><i constructor="x">two', 'onetwo'],
    ['CDATA and comments', 'one<!-- two --><![CDATA[three]]><?four?><!five>six', 'onesix'],
    ['a paragraph in capitals', '<P>one<BR>two</P>', 'one\ntwo'],
  ])('%s', (_what, html, text) => {
    expect(textOf(html)).toBe(text);
  });
});

describe('what nobody sees is left out:', () => {
  it.each([
    ['scripts', '<script>bad</script>'],
    ['scripts that write tags', '<script>"</b>" + "<p>bad"</script>'],
    ['styles', '<style>bad</style>'],
    ['templates', '<template><p>bad</p></template>'],
    ['templates in templates', '<template>bad<template>bad</template>bad</template>'],
    ['noscript', '<noscript>bad<p>bad</noscript>'],
    ['pictures', '<svg><title>bad</title><text>bad</text></svg><svg/><img alt=bad>'],
    ['XHTML', '<script src="x"/><title/><iframe/>'],
    ['dialogs', '<dialog>bad</dialog>'],
    ['frames', '<iframe>bad</iframe><object>bad</object>'],
    ['fields', '<textarea><b>bad</textarea><select><option>bad</select><input value=bad>'],
    ['hidden elements', '<p hidden>bad</p><div style="color: red; DISPLAY : none">bad<p>bad</div>'],
    ['invisible ones', '<ul><li style="visibility:hidden">bad</li></ul>'],
    ['titles', '<title>bad</title>'],
  ])('%s', (_what, html) => {
    expect(textOf(`good${html}`)).toBe('good');
  });
});

describe('the title', () => {
  it.each([
    ['<title> Tarn &amp; Wick, lamps </title><p>text', 'Tarn & Wick, lamps'],
    ['<title>one</title><title>two</title><p>text', 'one'],
    ['<svg><title>picture</title></svg><title>page</title><p>text', 'page'],
    ['<title>never <b>closed', 'never <b>closed'],
    ['<p>text', ''],
  ])('of %s is %s', (html, title) => {
    expect(htmlText(html).title).toBe(title);
  });
});

describe('a hostile page costs little:', () => {
  const bytes = cases(200_000, 5_000_000);
  const fill = (piece: string) => piece.repeat(Math.floor(bytes / piece.length));
  const deep = (tag: string, count: number) =>
    `${`<${tag}>`.repeat(count)}text${`</${tag}>`.repeat(count)}`;
  const sentence = 'A lamp, a wick, and some oil for the night. ';

  it.each<[string, string, string | RegExp]>([
    ['100,000 nested divs', deep('div', 100_000), 'text'],
    ['100,000 nested spans', deep('span', 100_000), 'text'],
    ['nested divs without an end', fill('<div>'), ''],
    ['tags that close nothing', `text${'<b>'.repeat(20_000)}${fill('</i>')}`, 'text'],
    ['a huge attribute', `<div class="${'x '.repeat(2_500_000)}">text</div>`, 'text'],
    ['a huge attribute without an end', `text<div class="${'x '.repeat(2_500_000)}`, 'text'],
    ['a million attributes', `<div ${fill('a=b ')}>text`, 'text'],
    ['a huge tag', `<${'a'.repeat(5_000_000)}>text`, 'text'],
    ['a huge title', `<title>${fill('a - ')}</title>text`, 'text'],
    ['a huge comment', `text<!--${fill('--')}`, 'text'],
    ['a huge script', `<script>${fill('</scrip ')}</script>text`, 'text'],
    ['nothing but text', `<p>${fill(sentence)}`, /^A lamp/],
    ['signs that begin tags', fill('<'), /^<+$/],
    ['entities', fill('&amp;'), /^&+$/],
    ['spaces', `text${fill(' ')}`, 'text'],
    ['empty elements', `text${fill('<b> </b>')}`, 'text'],
    ['links', fill('<a href=/x>a</a> '), /^a a a/],
    ['paragraphs', fill('<p>a, b'), /^a, b\n\na, b/],
    ['headings', fill(`<h1>${sentence}</h1>`), /^#/],
    [
      'nested lists',
      fill(`${'<ul><li>'.repeat(30)}${sentence}${'</li></ul>'.repeat(30)}`),
      /A lamp/,
    ],
    ['nested tables', fill(`${'<table><tr><td>'.repeat(20)}${sentence}`), /A lamp/],
    ['nested text', fill(`${'<div>'.repeat(60)}${sentence}${'</div>'.repeat(60)}`), /^A lamp/],
    ['nested quotes', `${'<blockquote>'.repeat(60)}${fill('a<br>')}`, /^> /],
    ['preformatted spaces', `<pre>text${fill(' ')}a`, /^```\ntext/],
    ['preformatted lines', `<pre>${`${' '.repeat(50_000)}a\n`.repeat(100)}`, /a\n/],
    ['backticks', `<pre>${fill('`')}`, /^`+/],
  ])('%s', (_what, html, text) => {
    const before = process.cpuUsage();

    const found = textOf(html);

    // What takes the square of its length takes minutes; a busy machine takes ten seconds for the dearest of these.
    expect(process.cpuUsage(before).user / 1000).toBeLessThan(20_000);
    if (typeof text === 'string') expect(found).toBe(text);
    else expect(found).toMatch(text);
  });

  it('what stands deeper than 64 elements is kept, line by line', () => {
    const html = `${'<div>'.repeat(80)}<p>one<p>two<ul><li>three<li>four</ul>${'</div>'.repeat(80)}<p>five`;

    expect(textOf(html)).toBe('one\ntwo\nthree\nfour\n\nfive');
  });
});
