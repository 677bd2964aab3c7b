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
  text?(text: string): void;
  close?(name: string): void;
}

const maxDepth = 256;

/**
 * Reads a part of an archive as XML, without entities but XML's own. Throws 422 if it isn't well formed, has another
 * root or a DTD, or is nested over 256.
 */
export function readPart(archive: Archive, name: string, handler: PartHandler): void {
  const reader = new XmlReader(handler);
  let decoder: TextDecoder | undefined;
  try {
    for (const chunk of archive.chunks(name)) {
      decoder ??= decoderFor(chunk);
      reader.write(decoder.decode(chunk, { stream: true }));
    }
    reader.write(decoder?.decode() ?? '');
  } catch (error) {
    throw isUndecodable(error) ? broken(error) : error;
  }
  reader.end();
}

/** Returns the value of an attribute by its name without a prefix. */
export function attribute(attributes: Attributes, name: string): string | undefined {
  if (Object.hasOwn(attributes, name)) return attributes[name];
  const key = Object.keys(attributes).find((each) => each.endsWith(`:${name}`));
  return key === undefined ? undefined : attributes[key];
}

class XmlReader {
  private readonly handler: PartHandler;
  private readonly parser: Parser;
  private readonly tagEnds: number[] = [];
  /** How deep the element lies that is left out; 0 if none is. */
  private skippedDepth = 0;
  private hasRoot = false;

  constructor(handler: PartHandler) {
    this.handler = handler;
    this.parser = new Parser(
      {
        onopentag: (name, attributes) => this.open(localName(name), attributes),
        ontext: (text) => {
          if (this.skippedDepth === 0) handler.text?.(text);
        },
        onclosetag: (name, isImplied) => this.close(localName(name), isImplied),
        onprocessinginstruction: (name, data) => {
          if (name.startsWith('!') && (this.hasRoot || !isPlainDoctype(data))) throw broken();
        },
      },
      { xmlMode: true },
    );
  }

  write(text: string): void {
    this.parser.write(text);
  }

  end(): void {
    this.parser.end();
    if (!this.hasRoot) throw broken();
  }

  private open(name: string, attributes: Attributes): void {
    if (this.tagEnds.length === 0) {
      if (this.hasRoot || name !== this.handler.root) throw broken();
      this.hasRoot = true;
    }
    this.tagEnds.push(this.parser.endIndex);
    const depth = this.tagEnds.length;
    if (depth > maxDepth) throw unreadableDocument('its parts are nested too deep');
    if (this.skippedDepth > 0) return;
    if (this.handler.skipped?.has(name)) this.skippedDepth = depth;
    else this.handler.open?.(name, attributes);
  }

  private close(name: string, isImplied: boolean): void {
    const depth = this.tagEnds.length;
    const tagEnd = this.tagEnds.pop();
    // The parser closes what isn't closed, as for HTML. `<a/>` is implied too, but ends where it begins.
    if (isImplied && tagEnd !== this.parser.endIndex) throw broken();
    if (this.skippedDepth === 0) this.handler.close?.(name);
    if (this.skippedDepth === depth) this.skippedDepth = 0;
  }
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
