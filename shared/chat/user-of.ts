import type { DialectName } from '../models/dialect-names.ts';
import type { Body } from '../models/dialects/dialect.ts';
import { fieldsIn, parsed, textIn } from '../models/field.ts';

/**
 * Returns the user that a request says it is for; undefined if it names none. Claude Code names each session: its
 * user is the account, or else the device.
 * @see https://platform.openai.com/docs/api-reference/responses/create
 */
export function userOf(body: Body, dialect: DialectName): string | undefined {
  const names =
    dialect === 'messages'
      ? [(body['metadata'] as Body | null | undefined)?.['user_id']]
      : [body['safety_identifier'], body['user']];
  const name = names.find((each): each is string => typeof each === 'string' && each !== '');
  if (name === undefined) return undefined;
  const [, ...old] = name.match(/^user_([^_]+)_account_([^_]*)_session_/) ?? [];
  const [device, account] = old.length > 0 ? old : inJson(name);
  return account || device || name;
}

/** The device and the account in what Claude Code sends since 2.1.78. */
function inJson(name: string): string[] {
  const { device_id, account_uuid } = fieldsIn(name.startsWith('{') && parsed(name));
  return [textIn(device_id), textIn(account_uuid)];
}
