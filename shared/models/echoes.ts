/** The most of a word that is compared: of base64, say, the beginning. */
const maxWordLength = 24;
const maxMessageLength = 1_000;

/** Words are hashed by FNV-1a, which is quick. That two have the same hash hides one too many. */
const [seed, prime] = [0x811c9dc5 | 0, 0x01000193];

/** Words of providers' own sentences, which tell nothing of a prompt that has them too. */
const plain = new Set(
  wordsOf(`0 1 2 3 4 5 6 7 8 9 a about above access account additional additionalproperties allowed an and any api are array as
  assistant at audio available base64 be because been before below between boolean but by bytes call calls can cannot
  characters check choose code completion completions content context could count current data day decode default describe
  description did do document documents does due each either empty end enough entry error errors exceed exceeded exceeds
  expected failed field file files finish first following for format found from function functions get given had has have
  here high higher how http https id ids if image images in index input inputs instead integer internal into invalid is it
  its items json key large last later least length less level limit limited limits list long low lower made match max
  maximum may message messages min minimum minute missing mode model models more most must my name names need new no non
  none not null number object of off on one only or organization other out output over parameter parameters parse passed
  per please plus policy policies process processed property properties prompt properly provide provided range rate reached
  read reason reduce refused request requested requests required response responses result results retry role same schema
  see sent server set should size small so some spec stop stream string strict support supported supports system temperature
  text than that the their them then there these this to together token tokens too tool tools top true false try type types
  unexpected unknown unsupported until up uri url usage use used user using valid value values version was we were what when
  where which who will with within without word would you your`),
);

/** Fields of a request that hold what its caller wrote to be read. Each of their words is compared, as are schemas' names. */
const prompts = ['messages', 'input', 'instructions', 'system', 'prompt', 'contents'];
const named = ['properties', '$defs', 'definitions', 'metadata'];
/** Fields within a prompt whose words are the protocol's own. */
const ofProtocol = new Set(['type', 'role', 'media_type', 'detail', 'cache_control']);

/**
 * Leaves out of a provider's message what it quotes of a request, as it may be logged: rare words of the prompt, and
 * runs of three words of any text. Cuts a long message.
 */
export function withoutEchoes(message: string, request: Record<string, unknown>): string {
  const words = cut(message.trim()).split(/\s+/);
  const asked = words.flatMap((word, at) => wordsOf(word).map((hash) => ({ hash, at })));
  const wanted = new Set(asked.map(({ hash }) => hash));
  const quoted = new Set<number>();
  eachText(request, (text, isPrompt) => {
    // The two words before, without an array for each: 0 where the message doesn't have them.
    let [first, second] = [0, 0];
    eachWord(text, (word) => {
      const isWanted = wanted.has(word);
      if (isWanted && isPrompt && !plain.has(word)) quoted.add(word);
      if (isWanted && first !== 0) quoted.add(joined(first, second, word));
      first = isWanted ? second : 0;
      second = isWanted ? word : 0;
    });
  });
  const hidden = words.map((word) => isCut(word) && wordsOf(word).some((hash) => !plain.has(hash)));
  asked.forEach(({ hash, at }, index) => {
    if (quoted.has(hash)) hidden[at] = true;
    const [second, third] = asked.slice(index + 1, index + 3);
    if (!second || !third || !quoted.has(joined(hash, second.hash, third.hash))) return;
    hidden.fill(true, at, third.at + 1);
  });
  return words
    .flatMap((word, at) => (hidden[at] ? (hidden[at - 1] ? [] : ['…']) : [word]))
    .join(' ');
}

/** A message as far as it is told, without the word in which that ends. */
const cut = (message: string) =>
  message.length <= maxMessageLength
    ? message
    : message.slice(0, message.lastIndexOf(' ', maxMessageLength));

const isCut = (word: string) => word.includes('…') || word.includes('...');

/** Visits all strings in a request, at any depth, and the names that its caller gave. */
function eachText(
  request: Record<string, unknown>,
  visit: (text: string, isPrompt: boolean) => void,
): void {
  const nodes = Object.entries(request).map(([key, node]) => ({
    node,
    isPrompt: prompts.includes(key),
    isNamed: named.includes(key),
  }));
  for (let next = nodes.pop(); next; next = nodes.pop()) {
    const { node, isPrompt, isNamed } = next;
    if (typeof node === 'string') visit(node, isPrompt);
    else if (typeof node === 'object' && node !== null) {
      for (const [key, inner] of Object.entries(node)) {
        if (isNamed) visit(key, true);
        nodes.push({
          node: inner,
          isPrompt: isPrompt && !ofProtocol.has(key),
          isNamed: !isNamed && named.includes(key),
        });
      }
    }
  }
}

function wordsOf(text: string): number[] {
  const words: number[] = [];
  eachWord(text, (word) => words.push(word));
  return words;
}

/** Visits the words of a text in their order, each as a hash without its case. A sign of a script without spaces is a word. */
function eachWord(text: string, visit: (hash: number) => void): void {
  let [hash, length] = [seed, 0];
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    const isAlone = code >= 0x2e80;
    if (length > 0 && (isAlone || !isInWord(code))) {
      visit(hash);
      [hash, length] = [seed, 0];
    }
    if (isAlone) visit(joined(code, 0, 0));
    else if (isInWord(code) && length++ < maxWordLength) {
      hash = Math.imul(hash ^ (code >= 0x41 && code <= 0x5a ? code + 0x20 : code), prime);
    }
  }
  if (length > 0) visit(hash);
}

/** Letters and digits, and what is within a name or in base64. */
function isInWord(code: number): boolean {
  return (
    (code >= 0x61 && code <= 0x7a) ||
    (code >= 0x41 && code <= 0x5a) ||
    (code >= 0x30 && code <= 0x39) ||
    (code >= 0xc0 && !(code >= 0x2000 && code <= 0x206f)) ||
    code === 0x2b ||
    code === 0x2d ||
    code === 0x2f ||
    code === 0x3d ||
    code === 0x5f
  );
}

const joined = (first: number, second: number, third: number) =>
  Math.imul(Math.imul(Math.imul(seed ^ first, prime) ^ second, prime) ^ third, prime);
