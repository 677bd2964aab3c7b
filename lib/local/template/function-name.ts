import { account, region } from './resource-names.ts';

/**
 * Reads a function's name, partial ARN or ARN. The name is undefined if none of the template's functions can be
 * meant: each has the version `$LATEST` alone.
 */
export function readFunctionName(text: string, qualifier?: string): { name?: string; arn: string } {
  const local = `arn:aws:lambda:${region}:${account}:function:`;
  const full = text.startsWith('arn:') ? text : local + text.replace(`${account}:function:`, '');
  const arn = qualifier ? `${full}:${qualifier}` : full;
  const [name, version = '$LATEST', ...rest] = arn.slice(local.length).split(':');
  const isKnown = arn.startsWith(local) && version === '$LATEST' && rest.length === 0;
  return { arn, ...(isKnown && name && { name }) };
}
