import { isTeamId } from '../ledger/terms/account-ids.ts';
import { type ApiKey, readKey } from './key.ts';
import { readTeam, type Team } from './team.ts';

/** Reads whose account an id names: a key or a team. Throws `NotFoundError` if there is none. */
export const readAccountOwner = (id: string): Promise<ApiKey | Team> =>
  isTeamId(id) ? readTeam(id) : readKey(id);
