import robotsParser from 'robots-parser';
import { readBody } from './body.ts';
import { type FetchContext, follow, robotName } from './follow.ts';
import { UnreadableError } from './page.ts';

/** What is beyond is ignored, as RFC 9309 allows. @see https://www.rfc-editor.org/rfc/rfc9309#section-2.5 */
const maxBytes = 512_000;
/** What is kept of the rules for this robot: the parser's work grows with them. */
const maxRuleCharacters = 100_000;
const maxAgeMs = 10 * 60_000;
const maxSites = 100;
/** A `robots.txt` may take this share of the time that there is for its page. */
const timeShare = 0.3;

/** The package is a function; its types say that it has one. */
const parseRobots = robotsParser as unknown as typeof robotsParser.default;

interface Rules {
  text: string;
  validUntil: number;
}

/** The rules of sites, by origin, the newest last. */
const known = new Map<string, Rules>();

/** Throws `refused_by_robots` if the site's `robots.txt` forbids the URL. A missing or broken one allows it. */
export async function checkRobots(
  url: URL,
  context: FetchContext,
  deadlineMs: number,
): Promise<void> {
  const text = await rulesOf(url.origin, context, deadlineMs * timeShare);
  const robots = parseRobots(`${url.origin}/robots.txt`, text);
  if (robots.isAllowed(url.href, robotName) === false) {
    throw new UnreadableError('refused_by_robots');
  }
}

async function rulesOf(origin: string, context: FetchContext, timeMs: number): Promise<string> {
  const rules = known.get(origin);
  if (rules && rules.validUntil > Date.now()) return rules.text;
  const signal = AbortSignal.any([context.signal, AbortSignal.timeout(timeMs)]);
  const text = await fetchRules(origin, { ...context, signal }).catch(() => '');
  context.signal.throwIfAborted();
  remember(origin, { text, validUntil: Date.now() + maxAgeMs });
  return text;
}

async function fetchRules(origin: string, context: FetchContext): Promise<string> {
  const { response } = await follow(new URL('/robots.txt', origin), context);
  const bytes = await readBody(response, maxBytes, { cut: true });
  return ownRules(new TextDecoder().decode(bytes));
}

function remember(origin: string, rules: Rules): void {
  known.delete(origin);
  known.set(origin, rules);
  const [oldest] = known.keys();
  if (known.size > maxSites && oldest) known.delete(oldest);
}

/** Leaves out rules for other robots: the parser keeps one per name and rule, and a few thousand of both take all memory. */
function ownRules(text: string): string {
  const kept: string[] = [];
  let characters = 0;
  const keep = (line: string) => {
    characters += line.length;
    if (characters <= maxRuleCharacters) kept.push(line);
  };
  let names = new Set<string>();
  let isNaming = false;
  for (const line of text.split(/[\r\n]+/)) {
    const [, field = '', value = ''] = /^\s*([a-z-]+)\s*:([^#]*)/i.exec(line) ?? [];
    if (field.toLowerCase() === 'user-agent') {
      if (!isNaming) names = new Set();
      isNaming = true;
      const name = value.split('/')[0]?.trim().toLowerCase() ?? '';
      if (!ownNames.includes(name) || names.has(name)) continue;
      names.add(name);
      keep(`user-agent: ${name}`);
    } else if (field !== '') {
      isNaming = false;
      // A field that is no rule still ends the names of a group.
      if (names.size > 0) keep(/^(dis)?allow$/i.test(field) ? `${field}:${value}` : 'allow:');
    }
  }
  return kept.join('\n');
}

const ownNames = [robotName.toLowerCase(), '*'];
