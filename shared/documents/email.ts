import { isUtf8 } from 'node:buffer';
import PostalMime, { type Address, type Attachment, type Email } from 'postal-mime';
import type { ContainedFile } from './document.ts';
import { unreadableDocument } from './errors.ts';
import { htmlText } from './html-text.ts';
import { decodeText } from './text.ts';
import type { Warning } from './warnings.ts';

export interface EmailContent {
  /** The subject, sender, receivers, time and text, as Markdown. */
  text: string;
  attachments: ContainedFile[];
  /** The pictures that stand in the text, such as a signature's. */
  pictures: (() => Buffer)[];
}

const maxCharacters = 20_000_000;
const limits = { maxNestingDepth: 50, maxHeadersSize: 1_000_000, forceRfc822Attachments: true };
/** What a mail program adds for itself. */
const signatures = /^application\/(x-)?(pkcs7|pgp)-signature$/;

/** Reads an email. Throws 422 if its parts are nested without end. */
export async function readEmail(bytes: Buffer, warned?: Set<Warning>): Promise<EmailContent> {
  const email = await parse(bytes, warned);
  if (isCutOff(bytes)) warned?.add('cut_off');
  const files = email.attachments.filter(({ mimeType }) => !signatures.test(mimeType));
  const isPicture = (file: Attachment) =>
    file.mimeType.startsWith('image/') && isWithin(file, email.html);
  return {
    text: [headOf(email), bodyOf(email)].filter(Boolean).join('\n\n'),
    attachments: files.filter((file) => !isPicture(file)).map(contained),
    pictures: files.filter(isPicture).map(
      ({ content }) =>
        () =>
          Buffer.from(content as ArrayBuffer),
    ),
  };
}

async function parse(bytes: Buffer, warned?: Set<Warning>): Promise<Email> {
  try {
    // Letters beyond ASCII in a mail that names no encoding are taken for UTF-8 by the parser.
    const isNamed = isUtf8(bytes) || /charset\s*=/i.test(bytes.toString('latin1'));
    return await PostalMime.parse(isNamed ? bytes : decodeText(bytes, undefined, warned), limits);
  } catch (error) {
    throw unreadableDocument('it is no valid email', error);
  }
}

/** Whether the mark is missing that ends the parts which a mail's head tells of. */
function isCutOff(mail: Buffer): boolean {
  const [head = ''] = mail.toString('latin1', 0, limits.maxHeadersSize).split(/\r?\n\r?\n/, 1);
  const multipart =
    /^content-type:\s*multipart\/[\s\S]{0,200}?boundary=(?:"([^"\n]+)"|([^\s;]+))/im;
  const [, quoted, plain] = head.match(multipart) ?? [];
  const boundary = quoted ?? plain;
  return boundary !== undefined && !mail.includes(`--${boundary}--`);
}

/** Whether the text shows a file in its place. */
function isWithin({ contentId = '' }: Attachment, html = ''): boolean {
  const id = contentId.replace(/^<|>$/g, '');
  return id !== '' && [id, encodeURIComponent(id)].some((each) => html.includes(`cid:${each}`));
}

function headOf({ subject, from, to, cc, date }: Email): string {
  const fields = [
    ['From', from && inWords([from])],
    ['To', inWords(to)],
    ['Cc', inWords(cc)],
    ['Date', date],
  ];
  const lines = fields.flatMap(([name, value]) => (value ? `${name}: ${value}` : []));
  return [subject && `# ${subject.replace(/\s+/g, ' ')}`, lines.join('\n')]
    .filter(Boolean)
    .join('\n\n');
}

const inWords = (addresses: Address[] = []): string => addresses.map(addressInWords).join(', ');

function addressInWords({ name, address, group }: Address): string {
  if (group) return `${name}: ${inWords(group)}`;
  return name && address ? `${name} <${address}>` : name || (address ?? '');
}

/** The HTML has what the text has, and its tables. */
function bodyOf({ html, text }: Email): string {
  const body = html ? htmlText(html, maxCharacters, { withLinks: true }) : '';
  return body || (text ?? '').trim();
}

function contained({ filename, mimeType, content }: Attachment, index: number): ContainedFile {
  const unnamed = mimeType === 'message/rfc822' ? 'message.eml' : `part ${index + 1}`;
  const name = filename?.split(/[\\/]/).at(-1) || unnamed;
  return { name, mimeType, bytes: Buffer.from(content as ArrayBuffer) };
}
