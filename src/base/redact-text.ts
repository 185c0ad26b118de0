/** Replaces a hidden value. */
export const HIDDEN = '***';

/** Paths of an address that are known to be no secret: those of the load tester and of Prometheus. */
const OPEN_PATHS = /^\/?$|^\/(gate|rollback)\/(check|open|close|approve|halt)\/?$|^\/api\/v[12]\/(query|alerts)\/?$|^\/metrics\/?$/;

const SECRET_WORD =
  'passw(?:or)?d|passphrase|pwd|secret|token|api[-_. ]?key|access[-_. ]?key|private[-_. ]?key|signing[-_. ]?key|credential|signature';

/** Tests if a field, header, flag or variable of this name holds a secret. */
export function isSecretName(name: string): boolean {
  return (
    new RegExp(`${SECRET_WORD}|authorization|cookie|bearer|basic[-_]?auth`, 'i').test(name) &&
    !/(Ref|Refs|Name|Names|Secrets|Mode|File|Seconds|Type)$/.test(name)
  );
}

/** In this order: each rule sees the result of the previous one. Each repetition is bounded: a log can have lines without a blank. */
const RULES: readonly [RegExp, string | ((...found: string[]) => string)][] = [
  [/-----BEGIN [^-]+-----[\s\S]*?(?:-----END [^-]+-----|$)/g, HIDDEN],
  [/\b([a-z][a-z0-9+.-]{1,20}:\/\/)([^\s"'`<>\\]+)/gi, (_, scheme = '', rest = '') => scheme + addressOf(rest)],
  // A name and password without a scheme before them; the digest of an image also follows an @.
  [/[^\s/@:"'=,]{1,200}:[^\s/@"']{1,200}@(?!sha\d+:)(?=[\w[])/g, `${HIDDEN}@`],
  [/([?&][\w.~%-]{1,100}=)[^\s&"'#]+/g, `$1${HIDDEN}`],
  [
    /\b(bearer|basic|token|apikey|genie-?key)(\s+)([\w+/.~=:-]{6,})/gi,
    (whole, scheme = '', gap = '', value = '') => (isTelling(value) ? `${scheme}${gap}${HIDDEN}` : whole),
  ],
  [/((?:authorization|cookie)["']?\s*[:=]\s*["']?)[^\n"']+/gi, `$1${HIDDEN}`],
  [new RegExp(`((?:${SECRET_WORD})[\\w.-]{0,60}["']?\\s*[=:]\\s*["']?)[^\\s"'&,;]+`, 'gi'), `$1${HIDDEN}`],
  [new RegExp(`(--?[\\w-]{0,60}(?:${SECRET_WORD})[\\w-]{0,60}\\s+)[^\\s-][^\\s]*`, 'gi'), `$1${HIDDEN}`],
  [/((?:^|\s)(?:-u|--user)[\s=]+)\S+/g, `$1${HIDDEN}`],
  [/\beyJ[\w-]{8,}\.[\w-]+(?:\.[\w-]*)?/g, HIDDEN],
  [/\b(?:xox[a-z]-|gh[a-z]_|github_pat_|glpat-|sk[-_](?:live|test|ant|proj)?[-_]?|hvs\.|dt0c01\.|NRAK-|AIza)[\w.-]{10,}/g, HIDDEN],
  [/\b(?:AKIA|ASIA)[0-9A-Z]{16}\b/g, HIDDEN],
  // Long words with digits and letters of both cases are keys or base64; names and digests of Kubernetes have no capitals.
  [/[\w+-]{24,}={0,2}/g, (whole = '') => (isRandom(whole) ? HIDDEN : whole)],
];

/** A text that others wrote, without what looks like a credential: in addresses, headers, flags, `name=value`, or by its own form. */
export function redactText(text: string): string {
  return RULES.reduce(
    (shown, [pattern, instead]) => (typeof instead === 'string' ? shown.replace(pattern, instead) : shown.replace(pattern, instead)),
    text,
  );
}

/** Host and port of an address, and its path if it is known. Hooks of chats have their secret in the path. */
export function addressOf(rest: string): string {
  const [whole = '', after = ''] = [rest.replace(/[).,;:\]}]+$/, ''), /[).,;:\]}]*$/.exec(rest)?.[0]];
  const at = whole.search(/[/?#]/);
  const authority = at < 0 ? whole : whole.slice(0, at);
  const tail = at < 0 ? '' : whole.slice(at);
  const host = authority.slice(authority.lastIndexOf('@') + 1);
  const user = authority.includes('@') ? `${HIDDEN}@` : '';
  const [path = '', query] = tail.split(/[?#]/);
  return `${user}${host}${OPEN_PATHS.test(path) ? path : `/${HIDDEN}`}${query === undefined ? '' : `?${HIDDEN}`}${after}`;
}

const isRandom = (text: string): boolean => /[A-Z]/.test(text) && /[a-z]/.test(text) && /\d/.test(text);

/** Tests the word after the name of a scheme: a credential, and not the next word of a sentence. */
const isTelling = (value: string): boolean => value.length >= 16 || /[\d_=+/-]/.test(value);
