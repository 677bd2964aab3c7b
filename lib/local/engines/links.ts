import { findGrant, type Permissions } from '../permissions/policies.ts';
import {
  accessDenied,
  type ErrorShape,
  errorShape,
  unknownCredentials,
} from '../permissions/refusal.ts';
import { requirementsOf } from '../permissions/required.ts';
import { credentials } from './client-config.ts';

/** A request to S3 that was signed beforehand. */
export interface Link {
  accessKeyId: string;
  method: string;
  path: string;
}

/** Returns the refusal of a link; undefined if its signer may do what it is for. */
export type JudgeLink = (link: Link) => ErrorShape | undefined;

/**
 * Makes what judges links by their signer's permissions at use. The stage's own clients may do anything.
 * @see https://docs.aws.amazon.com/AmazonS3/latest/userguide/using-presigned-url.html
 */
export function linkJudge() {
  let signers = new Map<string, Permissions>();
  const setPermissions = (all: Permissions[]) => {
    signers = new Map(all.map((permissions) => [permissions.accessKeyId, permissions]));
  };
  const judgeLink: JudgeLink = ({ accessKeyId, method, path }) => {
    if (accessKeyId === credentials.accessKeyId) return undefined;
    const signer = signers.get(accessKeyId);
    if (!signer) return errorShape('s3', unknownCredentials());
    const request = { accessKeyId, service: 's3', operation: '', method, path, headers: {} };
    const lacking = requirementsOf(request, '').find(
      ({ action, resource }) => !findGrant(signer.grants, action, resource),
    );
    return lacking && errorShape('s3', accessDenied(signer.userArn, lacking));
  };
  return { judgeLink, setPermissions };
}
