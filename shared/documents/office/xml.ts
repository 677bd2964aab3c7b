import { TextDecoder } from 'node:util';
import { Parser } from 'htmlparser2';
import { unreadableDocument } from '../errors.ts';
import type { Archive } from './archive.ts';

/** An element's attributes, by their names with prefixes. */
export type Attributes = Readonly<Record<string, string>>;

/**
 * What is done with a part's elements and text, in order. Elements are named without prefixes, which are the writer's
 * choice.
 */
export interface PartHandler {
  /** The root that the part must have. */
  root: string;
  /** The elements to leave out, with all that is in them. */
  skipped?: ReadonlySet<string>;
  open?(name: string, attributes: Attributes): void;
  /** `within` is the element that the text stands in. */
  text?(text: string, within: string): void;
  close?(name: string): void;
}

const maxDepth = 256;

/**
 * Reads a part of an archive as XML, without entities but XML's own. Throws 422 if it isn't well formed, has another
 * root or a DTD, or is nested over 256.
 */
export function readPart(archive: Archive, name: string, handler: PartHandler): void {
  const parser = parserFor(handler);
  let decoder: TextDecoder | undefined;
  try {
    for (const chunk of archive.chunks(name)) {
      decoder ??= decoderFor(chunk);
      parser.write(decoder.decode(chunk, { stream: true }));
    }
    parser.end(decoder?.decode());
  } catch (error) {
    throw isUndecodable(error) ? broken(error) : error;
  }
}

/** Returns the attributes of all elements of a name, in order. Throws 422 as `readPart` does. */
export function attributesOf(
  archive: Archive,
  part: string,
  root: string,
  element: string,
): Attributes[] {
  const found: Attributes[] = [];
  const open = (name: string, attributes: Attributes) => {
    if (name === element) found.push(attributes);
  };
  readPart(archive, part, { root, open });
  return found;
}

/** Returns the value of an attribute by its name without a prefix. */
export function attribute(attributes: Attributes, name: string): string | undefined {
  if (Object.hasOwn(attributes, name)) return attributes[name];
  const key = Object.keys(attributes).find((each) => each.endsWith(`:${name}`));
  return key === undefined ? undefined : attributes[key];
}

/** Makes a parser that tells its handler of a part's elements and text. */
function parserFor(handler: PartHandler): Parser {
  const open: { name: string; tagEnd: number }[] = [];
  /** How deep the element lies that is left out; 0 if none is. */
  let skippedDepth = 0;
  let hasRoot = false;
  const parser = new Parser(
    {
      onopentag(fullName, attributes) {
        const name = localName(fullName);
        if (open.length === 0) {
          if (hasRoot || name !== handler.root) throw broken();
          hasRoot = true;
        }
        open.push({ name, tagEnd: parser.endIndex });
        if (open.length > maxDepth) throw unreadableDocument('its parts are nested too deep');
        if (skippedDepth > 0) return;
        if (handler.skipped?.has(name)) skippedDepth = open.length;
        else handler.open?.(name, attributes);
      },
      ontext(text) {
        if (skippedDepth === 0) handler.text?.(text, open.at(-1)?.name ?? '');
      },
      onclosetag(fullName, isImplied) {
        const depth = open.length;
        const tagEnd = open.pop()?.tagEnd;
        // The parser closes what isn't closed, as for HTML. `<a/>` is implied too, but ends where it begins.
        if (isImplied && tagEnd !== parser.endIndex) throw broken();
        if (skippedDepth === 0) handler.close?.(localName(fullName));
        if (skippedDepth === depth) skippedDepth = 0;
      },
      onprocessinginstruction(name, data) {
        if (name.startsWith('!') && (hasRoot || !isPlainDoctype(data))) throw broken();
      },
      onend() {
        if (!hasRoot) throw broken();
      },
    },
    { xmlMode: true },
  );
  return parser;
}

/** Whether a declaration only names a document type, as OpenOffice does in its manifests, and declares nothing itself. */
const isPlainDoctype = (declaration: string) => /^!DOCTYPE\s[^[]*$/.test(declaration);

const localName = (name: string) => name.slice(name.indexOf(':') + 1);

/** Office writes UTF-8, and may write UTF-16 with a byte order mark. */
function decoderFor([first, second]: Uint8Array): TextDecoder {
  const encoding =
    first === 0xff && second === 0xfe
      ? 'utf-16le'
      : first === 0xfe && second === 0xff
        ? 'utf-16be'
        : 'utf-8';
  return new TextDecoder(encoding, { fatal: true });
}

const isUndecodable = (error: unknown) =>
  (error as NodeJS.ErrnoException).code === 'ERR_ENCODING_INVALID_ENCODED_DATA';

const broken = (cause?: unknown) => unreadableDocument('its XML is broken', cause);
