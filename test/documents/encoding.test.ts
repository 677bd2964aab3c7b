import { expect, it } from 'vitest';
import { decodeText, looksLikeText } from '../../shared/documents/text.ts';
import type { Warning } from '../../shared/documents/warnings.ts';

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
  [
    'windows-1252',
    'Medición de la calidad del agua en tres estaciones. Entre ma',
    '4d6564696369f36e206465206c612063616c696461642064656c206167756120656e2074726573206573746163696f6e65732e20456e747265206d61',
  ],
  [
    'windows-1252',
    'La società comunicherà la città e la qualità più alta; perch',
    '4c6120736f63696574e020636f6d756e6963686572e0206c612063697474e02065206c61207175616c6974e0207069f920616c74613b207065726368',
  ],
  [
    'windows-1252',
    'A situação não é fácil: a reunião sobre a construção começar',
    '41207369747561e7e36f206ee36f20e92066e163696c3a2061207265756e69e36f20736f627265206120636f6e73747275e7e36f20636f6d65e76172',
  ],
  [
    'windows-1252',
    'Työpäivän jälkeen lähdetään järvelle, missä vesi on vielä lä',
    '5479f670e46976e46e206ae46c6b65656e206ce468646574e4e46e206ae47276656c6c652c206d697373e42076657369206f6e207669656ce4206ce4',
  ],
  [
    'windows-1254',
    'İşçi ücretleri ağustos ayında ödenecek; şirketin yeni çalışm',
    'ddfee76920fc637265746c6572692061f07573746f73206179fd6e646120f664656e6563656b3b20fe69726b6574696e2079656e6920e7616cfdfe6d',
  ],
  [
    'windows-1250',
    'A számla végösszege tizenkétezer forint, amelyet harminc nap',
    '4120737ae16d6c612076e967f673737a6567652074697a656e6be974657a657220666f72696e742c20616d656c796574206861726d696e63206e6170',
  ],
  [
    'windows-1250',
    'Factura trebuie plătită în treizeci de zile; întârzierea atr',
    '46616374757261207472656275696520706ce3746974e320ee6e20747265697a656369206465207a696c653b20ee6e74e2727a696572656120617472',
  ],
  [
    'windows-1251',
    'Договір постачання номер дванадцять від третього травня. Пок',
    'c4eee3eee2b3f020efeef1f2e0f7e0ededff20edeeece5f020e4e2e0ede0e4f6fff2fc20e2b3e420f2f0e5f2fceee3ee20f2f0e0e2edff2e20cfeeea',
  ],
  [
    'windows-1251',
    'Договорът за доставка влиза в сила от трети май. Купувачът с',
    'c4eee3eee2eef0faf220e7e020e4eef1f2e0e2eae020e2ebe8e7e020e220f1e8ebe020eef220f2f0e5f2e820ece0e92e20caf3eff3e2e0f7faf220f1',
  ],
  [
    'ibm866',
    'Договор поставки номер двенадцать от третьего мая. Покупател',
    '84aea3aea2aee020afaee1e2a0a2aaa820adaeaca5e020a4a2a5ada0a4e6a0e2ec20aee220e2e0a5e2eca5a3ae20aca0ef2e208faeaae3afa0e2a5ab',
  ],
  [
    'windows-1255',
    'החשבונית תשולם תוך שלושים יום ממועד קבלתה, והסכום כולל מס ער',
    'e4e7f9e1e5f0e9fa20faf9e5eced20fae5ea20f9ece5f9e9ed20e9e5ed20eeeee5f2e320f7e1ecfae42c20e5e4f1ebe5ed20ebe5ecec20eef120f2f8',
  ],
  [
    'windows-1256',
    'يجب دفع الفاتورة خلال ثلاثين يوما من تاريخ استلامها، والمبلغ',
    'edccc820cfddda20c7e1ddc7cae6d1c920cee1c7e120cbe1c7cbede420ede6e3c720e3e420cac7d1edce20c7d3cae1c7e3e5c7a120e6c7e1e3c8e1db',
  ],
  [
    'windows-874',
    'กรุณาชำระเงินภายในสามสิบวันนับจากวันที่ได้รับใบแจ้งหนี้ ขอบคุณที่ใช้บริการของเรา',
    'a1c3d8b3d2aad3c3d0e0a7d4b9c0d2c2e3b9cad2c1cad4bac7d1b9b9d1baa8d2a1c7d1b9b7d5e8e4b4e9c3d1bae3bae1a8e9a7cbb9d5e920a2cdbaa4d8b3b7d5e8e3aae9bac3d4a1d2c3a2cda7e0c3d2',
  ],
  [
    'windows-1257',
    'Sąskaita turi būti apmokėta per trisdešimt dienų nuo gavimo. Ačiū, kad naudojatės mūsų paslaugomis, ',
    '53e0736b6169746120747572692062fb74692061706d6f6beb74612070657220747269736465f0696d74206469656ef8206e756f20676176696d6f2e2041e869fb2c206b6164206e6175646f6a6174eb73206dfb73f8207061736c6175676f6d69732c20',
  ],
  [
    'gb18030',
    '姓名,部门,工资\n刘璐璐,财务,9016\n欧阳娜,法务,9994\n吴昊,销售,9616\n',
    'd0d5c3fb2cb2bfc3c52cb9a4d7ca0ac1f5e8b4e8b42cb2c6cef12c393031360ac5b7d1f4c4c82cb7a8cef12c393939340acee2eabb2ccffacadb2c393631360a',
  ],
  [
    'gb18030',
    '姓名,部门,工资\n冯媛,市场,7\n周琪,市场,8\n',
    'd0d5c3fb2cb2bfc3c52cb9a4d7ca0ab7ebe6c22ccad0b3a12c370ad6dce7f72ccad0b3a12c380a',
  ],
  ['gb18030', '项目;负责人\n一;王五\n', 'cfeec4bf3bb8bad4f0c8cb0ad2bb3bcdf5cee50a'],
  ['euc-kr', '이름,나이\n김철수,30\n', 'c0ccb8a72cb3aac0cc0ab1e8c3b6bcf62c33300a'],
  ['euc-kr', '합계: 1250원', 'c7d5b0e83a2031323530bff8'],
  [
    'euc-jp',
    '氏名,部署,給与\n渡辺明,経理,9954\n伊藤誠,営業,6063\n高橋一郎,総務,6148\n',
    'bbe1ccbe2cc9f4bdf02cb5ebcdbf0ac5cfcad5ccc02cb7d0cdfd2c393935340ab0cbc6a3c0bf2cb1c4b6c82c363036330ab9e2b6b6b0eccfba2cc1edccb32c363134380a',
  ],
  ['windows-1251', 'НАЗВАНИЕ\tЦЕНА\nКРАН\t350\n', 'cdc0c7c2c0cdc8c509d6c5cdc00acad0c0cd093335300a'],
  [
    'gb18030',
    '名称,价格\n阀门,3.5\n水泵,12\n',
    'c3fbb3c62cbcdbb8f10ab7a7c3c52c332e350acbaeb1c32c31320a',
  ],
  ['gb18030', '你好', 'c4e3bac3'],
];

it.each(texts)('a text in %s is read: %s', (_, text, hex) => {
  expect(decodeText(Buffer.from(hex, 'hex'))).toBe(text);
});

it.each([
  ['shift_jis', 'c4eee3eee2eef020efeef1f2e0e2eae8', 'Договор поставки'],
  ['klingon', 'c4eee3eee2eef020efeef1f2e0e2eae8', 'Договор поставки'],
  ['utf-8', 'c4eee3eee2eef020efeef1f2e0e2eae8', 'Договор поставки'],
  ['windows-1251', 'c4eee3eee2eef020efeef1f2e0e2eae8', 'Договор поставки'],
  ['windows-1252', 'c4eee3', 'Äîã'],
])('a text that names %s is read so, unless that breaks its letters', (named, hex, text) => {
  const warned = new Set<Warning>();

  expect(decodeText(Buffer.from(hex, 'hex'), named, warned)).toBe(text);
  expect(warned.has('encoding_guessed')).toBe(!named.startsWith('windows'));
});

it.each([
  ['windows-1251', 'Файл', 'd4e0e9eb'],
  ['ISO-8859-2', 'Żółw', 'aff3b377'],
  ['ISO-8859-15', '12 €', '313220a4'],
  ['Shift_JIS', '請求書', '90bf8b818f91'],
  ['GBK', '发票', 'b7a2c6b1'],
  ['EUC-KR', '밸브', 'b9ebbaea'],
])('an XML file is read in %s if it names that', (encoding, text, hex) => {
  const warned = new Set<Warning>();
  const head = `<?xml version="1.0" encoding="${encoding}" standalone='yes'?><name>`;
  const bytes = Buffer.concat([Buffer.from(head), Buffer.from(hex, 'hex')]);

  expect(decodeText(bytes, undefined, warned)).toBe(`${head}${text}`);
  expect(warned).toEqual(new Set());
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
