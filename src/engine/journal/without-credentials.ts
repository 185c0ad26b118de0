const HIDDEN = '***';
const BETWEEN_WORDS = /([\s"'`<>()[\]{},;\\])/;
const SECRET_NAMES = [
  ...['password', 'passwd', 'passphrase', 'pwd', 'secret', 'token', 'apikey', 'accesskey', 'privatekey', 'signingkey'],
  ...['credential', 'signature', 'authorization', 'cookie', 'bearer'],
];
const SCHEMES: ReadonlySet<string> = new Set(['bearer', 'basic', 'token', 'apikey', 'genie-key', 'geniekey']);
const PREFIXES = [
  'eyJ',
  'ghp_',
  'gho_',
  'ghs_',
  'ghu_',
  'ghr_',
  'github_pat_',
  'glpat-',
  'sk-',
  'sk_',
  'xox',
  'hvs.',
  'dt0c01.',
  'NRAK-',
  'AIza',
  'AKIA',
  'ASIA',
];
const SHORTEST_WITH_PREFIX = 12;
const SHORTEST_RANDOM = 24;

/**
 * A foreign sentence or query without strings that look like a credential. Works word by word, in linear time, and with the same result for a sentence inside a
 * longer one: the engine compares reasons that it makes of such sentences.
 */
export function withoutCredentials(text: string): string {
  let shown = '';
  let hides: Word['next'] = 'no';
  let before = '';
  for (const [index, piece] of text.split(BETWEEN_WORDS).entries()) {
    if (piece === '') continue;
    if (index % 2 === 1) {
      if (piece === ',' || piece === ';' || piece === '\n') hides = 'no';
      if (hides !== 'rest') shown += piece;
      continue;
    }
    if (hides === 'rest') continue;
    const isMark = piece === ':' || piece === '=';
    if (hides !== 'no' && !isMark) {
      shown += HIDDEN;
      hides = hides === 'word' ? 'no' : 'rest';
      continue;
    }
    const word: Word = isMark ? { shown: piece, next: isSecretName(before) ? clauseOf(before) : 'no' } : wordOf(piece, before);
    shown += word.shown;
    hides = word.next;
    before = piece;
  }
  return shown;
}

interface Word {
  shown: string;
  /**
   * Text that is hidden after this word: one word; or a clause until a comma, semicolon or end of line, of which first the next word is replaced and then the
   * rest is dropped.
   */
  next: 'no' | 'word' | 'clause' | 'rest';
}

function wordOf(word: string, before: string): Word {
  const plain = (shown: string): Word => ({ shown, next: 'no' });
  if (word.includes('-----BEGIN')) return { shown: HIDDEN, next: 'rest' };
  if (SCHEMES.has(before.toLowerCase()) && isTelling(word)) return plain(HIDDEN);
  if (word.includes('://')) return plain(hostOf(word));
  const at = word.lastIndexOf('@');
  if (at > 0 && word.slice(0, at).includes(':') && !word.startsWith('sha', at + 1)) return plain(`${HIDDEN}${word.slice(at)}`);
  const query = word.indexOf('?');
  if (query >= 0 && word.includes('=', query)) return plain(`${word.slice(0, query)}?${HIDDEN}`);
  const mark = word.search(/[:=]/);
  const name = mark < 0 ? word : word.slice(0, mark);
  const isFlag = name === '-u' || name === '--user' || (name.startsWith('-') && isSecretName(name));
  if (mark < 0) return isFlag ? { shown: word, next: 'word' } : plain(isRandom(word) ? HIDDEN : word);
  if (!isFlag && !isSecretName(name))
    return plain(
      word
        .slice(mark + 1)
        .split(/[:=]/)
        .some(isRandom)
        ? `${word.slice(0, mark + 1)}${HIDDEN}`
        : word,
    );
  const isWhole = mark + 1 < word.length;
  return { shown: isWhole ? `${word.slice(0, mark + 1)}${HIDDEN}` : word, next: isWhole ? 'no' : clauseOf(name) };
}

/** Scheme and host of an address. */
function hostOf(word: string): string {
  const from = word.indexOf('://') + 3;
  const rest = word.slice(from);
  const end = rest.search(/[/?#]/);
  const authority = end < 0 ? rest : rest.slice(0, end);
  return `${word.slice(0, from)}${authority.slice(authority.lastIndexOf('@') + 1)}${end < 0 ? '' : `/${HIDDEN}`}`;
}

function isSecretName(name: string): boolean {
  const plain = name.toLowerCase().replace(/[-_.]/g, '');
  return SECRET_NAMES.some((word) => plain.includes(word));
}

const clauseOf = (name: string): 'word' | 'clause' => (/authorization|cookie/i.test(name) ? 'clause' : 'word');

/** After the name of a scheme, this is a credential and not the next word of a sentence. */
const isTelling = (word: string): boolean => word.length >= 16 || /[\d_=+/-]/.test(word);

function isRandom(word: string): boolean {
  if (word.length >= SHORTEST_WITH_PREFIX && PREFIXES.some((prefix) => word.startsWith(prefix))) return true;
  return word.length >= SHORTEST_RANDOM && /[A-Z]/.test(word) && /[a-z]/.test(word) && /\d/.test(word);
}
