import { setting } from '../../config.ts';
import { ServiceError } from '../../http/errors.ts';

/** Throws a 422 for a document of more pages than one may have. */
export function checkLength(pageCount: number, name: string): void {
  const { pages } = setting('DOCUMENT_LIMITS');
  if (pageCount <= pages) return;
  throw new ServiceError(
    422,
    'too_many_pages',
    `${name} has ${pageCount} pages, more than the ${pages} that a document may have.`,
  );
}
