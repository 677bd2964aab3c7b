import { expect, it } from 'vitest';
import { decodeText, looksLikeText } from '../../shared/documents/text.ts';

/** Texts that name no encoding, as programs of their countries write them. */
const texts: [encoding: string, text: string, hex: string][] = [
  [
    'windows-1250',
    'Zażółć gęślą jaźń. Łódź, 12 maja',
    '5a61bff3b3e62067ea9c6cb9206a619ff12e20a3f3649f2c203132206d616a61',
  ],
  [
    'windows-1250',
    'Příliš žluťoučký kůň úpěl',
    '50f8ed6c699a209e6c759d6f75e86bfd206bf9f220fa70ec6c',
  ],
  [
    'windows-1251',
    'Договор поставки № 12 от 3 мая',
    'c4eee3eee2eef020efeef1f2e0e2eae820b920313220eef2203320ece0ff',
  ],
  ['windows-1251', 'Имя;Город\nАнна;Москва', 'c8ecff3bc3eef0eee40ac0edede03bcceef1eae2e0'],
  ['koi8-r', 'Договор поставки номер 12', 'e4cfc7cfd7cfd220d0cfd3d4c1d7cbc920cecfcdc5d2203132'],
  ['windows-1253', 'Η τιμή είναι 5 ευρώ', 'c720f4e9ecde20e5dfede1e9203520e5f5f1fe'],
  ['windows-1255', 'שלום לכולם', 'f9ece5ed20ecebe5eced'],
  ['shift_jis', '請求書を送ります', '90bf8b818f9182f0919782e882dc82b7'],
  ['shift_jis', '氏名,住所\n佐藤太郎,東京都', '8e8196bc2c8f5a8f8a0a8db293a191be98592c938c8b9e9373'],
  ['euc-jp', '請求書を送ります。東京都', 'c0c1b5e1bdf1a4f2c1f7a4eaa4dea4b9a1a3c5ecb5fec5d4'],
  ['gb18030', '你好，合同已经签署。', 'c4e3bac3a3acbacfcdacd2d1beadc7a9caf0a1a3'],
  ['big5', '你好，合約已經簽署。', 'a741a66ea141a658acf9a477b867c3b1b870a143'],
  [
    'euc-kr',
    '안녕하세요, 계약서를 보냅니다.',
    'bec8b3e7c7cfbcbcbfe42c20b0e8bee0bcadb8a620bab8b3c0b4cfb4d92e',
  ],
  ['windows-1252', 'Größe: 5 µm', '4772f6df653a203520b56d'],
  [
    'windows-1252',
    'naïve façade – “quoted” €5',
    '6e61ef7665206661e76164652096209371756f74656494208035',
  ],
  ['windows-1252', 'Ñandú está aquí, ¿qué?', 'd1616e64fa20657374e120617175ed2c20bf7175e93f'],
  ['windows-1252', 'ÄÖÜ', 'c4d6dc'],
  ['windows-1252', 'TÉLÉPHONE ÉTÉ', '54c94cc950484f4e4520c954c9'],
  ['windows-1252', 'Ærø Ørsted', 'c672f820d87273746564'],
];

it.each(texts)('a text in %s is read: %s', (_, text, hex) => {
  expect(decodeText(Buffer.from(hex, 'hex'))).toBe(text);
});

it.each(['utf-16le', 'utf-16be', 'utf-32le', 'utf-32be'])(
  'a text in %s needs no mark',
  (encoding) => {
    const width = encoding.startsWith('utf-16') ? 2 : 4;
    const bytes = Buffer.alloc(width * 'Plain words'.length);
    for (const [at, letter] of [...'Plain words'].entries()) {
      bytes[at * width + (encoding.endsWith('le') ? 0 : width - 1)] = letter.charCodeAt(0);
    }

    expect(looksLikeText(bytes)).toBe(true);
    expect(decodeText(bytes)).toBe('Plain words');
  },
);

it('half of a surrogate pair is shown as a letter that nobody can read', () => {
  expect(decodeText(Buffer.from('fffe41003dd84200', 'hex'))).toBe('A\ufffdB');
});
