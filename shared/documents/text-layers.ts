import { ServiceError } from '../http/errors.ts';
import { PdfReader } from './pdf-reader.ts';
import { textLayerOf, withPage } from './usable-text-layer.ts';

/**
 * Yields the text layer of each page of a PDF, without drawing any; undefined for a page that has none that is
 * real, or that is damaged. Throws 422 if the file can't be read.
 */
export async function* textLayersIn(path: string): AsyncGenerator<string | undefined> {
  const reader = await PdfReader.open(path);
  try {
    for (let page = 1; page <= reader.pageCount; page++) yield await layerOf(reader, page);
  } finally {
    reader.close();
  }
}

async function layerOf(reader: PdfReader, page: number): Promise<string | undefined> {
  try {
    return await reader.readPage(page, (pdf) =>
      withPage(pdf, page, (open) => textLayerOf(pdf, open)),
    );
  } catch (error) {
    if (error instanceof ServiceError) return undefined;
    throw error;
  }
}
