/** A model catalogue that is missing or faulty; the message says how. It is thrown while the catalogue's module loads. */
export class CatalogueError extends Error {
  override readonly name = 'CatalogueError';
}
