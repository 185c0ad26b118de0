const HIDDEN = '***';
/** Shorter ones stand in ordinary words, and to hide them would tell them. */
const SHORTEST = 3;
/** Shorter ones stand in ordinary words once they are encoded. */
const SHORTEST_ENCODED = 6;
/** So much of a secret at the end of a text is one that was cut off there. */
const SHORTEST_CUT = 4;

/**
 * A foreign text without our secrets, which a server may send back to us: as they are, in a URL, in JSON, in base64 at any place of what was
 * encoded, or cut off at the end of the text.
 */
export function hideSecrets(text: string, secrets: readonly (string | undefined)[]): string {
  const forms = [...new Set(secrets.flatMap((secret) => (secret && secret.trim().length >= SHORTEST ? formsOf(secret) : [])))].sort(
    (a, b) => b.length - a.length,
  );
  let shown = text;
  for (const form of forms) shown = shown.replaceAll(form, HIDDEN);
  for (const form of forms) shown = withoutCut(shown, form);
  return shown;
}

/** Name and password of an address, as they are written there and as they are meant. */
export function userInfoOf(address: string | undefined): string[] {
  const url = address ? URL.parse(address) : null;
  if (!url) return [];
  const plain = [url.username, url.password].map(plainText);
  const pair = url.password === '' ? [] : [plain.join(':')];
  return [...pair, url.username, url.password, ...plain].filter((part) => part !== '');
}

function formsOf(secret: string): string[] {
  const plain = secret.trim();
  const forms = [secret, plain];
  if (plain.length < SHORTEST_ENCODED) return forms;
  const base64 = [0, 1, 2].map((before) => base64Within(plain, before)).filter((one) => one.length >= SHORTEST_ENCODED);
  const encoded = [encodeURIComponent(plain), new URLSearchParams({ '': plain }).toString().slice(1), JSON.stringify(plain).slice(1, -1)];
  return [...forms, ...encoded, ...base64, ...base64.map((one) => one.replaceAll('+', '-').replaceAll('/', '_'))];
}

/** What base64 makes of a text that `before` bytes precede, without the characters that its neighbours have a part in. */
function base64Within(text: string, before: number): string {
  const bytes = Buffer.from('\0'.repeat(before) + text);
  const whole = bytes.toString('base64').replace(/=+$/, '');
  return whole.slice(before === 0 ? 0 : before + 1, bytes.length % 3 === 0 ? undefined : -1);
}

function withoutCut(text: string, form: string): string {
  for (let length = Math.min(form.length, text.length); length >= SHORTEST_CUT; length -= 1)
    if (text.endsWith(form.slice(0, length))) return text.slice(0, -length) + HIDDEN;
  return text;
}

function plainText(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // A lone `%` is allowed in an address and stands for itself.
    return text;
  }
}
