import { valueError } from '../../http/errors.ts';
import { limitsOf } from '../../keys/key-limits.ts';
import { canSearch } from '../../search/search.ts';
import type { Turn } from '../turn.ts';

/** What may be searched for the answer to a message. */
export interface Reach {
  web: boolean;
  /** The Drive folders of the caller's key; empty if Drive isn't searched. */
  folders: string[];
}

/** Returns what to search. Throws a 422 that names the field, without a search provider or a Drive folder of the key. */
export function reachOf({ request, caller }: Pick<Turn, 'request' | 'caller'>): Reach {
  const { web_search, deep_research, connectors } = request;
  const folders = connectors ? limitsOf(caller).drive_folders : [];
  if (connectors && folders.length === 0) {
    throw valueError(['body', 'connectors'], 'this API key may read no Drive folder');
  }
  // A research can do with the Drive alone.
  const needsWeb = web_search || (deep_research && !connectors);
  if (needsWeb && !canSearch()) {
    const field = web_search ? 'web_search' : 'deep_research';
    throw valueError(['body', field], 'the operator has not set up a search provider');
  }
  return { web: (web_search || deep_research) && canSearch(), folders };
}
