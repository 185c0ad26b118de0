import { decodedUri } from './decoded-uri.ts';
import { textSearch, withoutTrailing } from './text-search.ts';

const HIDDEN = '***';
/** Longest text that is shown anywhere. Each secret is looked for in all of it. */
const LONGEST_SHOWN = 8192;
/** Most secrets of one text. With more of them a text is hidden as a whole. */
const MOST_SECRETS = 100;
/** The part of a long form that is looked for first. */
const FIRST_SOUGHT = 64;
/** Shorter ones are part of ordinary words, so that hiding them would reveal them. */
const SHORTEST = 3;
/** A shorter secret occurs in ordinary words once it is encoded. */
const SHORTEST_ENCODED = 6;
/** So many characters of a secret at the end of a text are a secret that was cut off there. */
const SHORTEST_CUT = 4;

/**
 * Hides our secrets in a foreign text, because a server can send them back: in plain form, in a URL, in JSON, in base64 at any place of the encoded text, or
 * cut off at the end of the text.
 */
export function hideSecrets(text: string, secrets: readonly (string | undefined)[]): string {
  const distinct = new Set(secrets);
  return distinct.size > MOST_SECRETS ? HIDDEN : withoutSecrets(text.slice(0, LONGEST_SHOWN), distinct);
}

/** The same of a text of any length, in time that grows with the text and the number of secrets. */
export function withoutSecrets(text: string, secrets: Iterable<string | undefined>): string {
  const forms = [
    ...new Set([...secrets].flatMap((secret) => (secret && secret.trim().length >= SHORTEST ? formsOf(secret, text.length) : []))),
  ].sort((a, b) => b.length - a.length);
  let shown = text;
  for (const form of forms) shown = withoutForm(shown, form);
  for (const form of forms) shown = withoutCut(shown, form);
  return shown;
}

/** Name and password of an address, both percent-encoded and decoded. */
export function userInfoOf(address: string | undefined): string[] {
  const url = address ? URL.parse(address) : null;
  if (!url) return [];
  const plain = [url.username, url.password].map(plainText);
  const pair = url.password === '' ? [] : [plain.join(':')];
  return [...pair, url.username, url.password, ...plain].filter((part) => part !== '');
}

/** A text cannot hold more of a secret than its own length. */
function formsOf(whole: string, longest: number): string[] {
  const part = (text: string) => text.slice(0, longest + SHORTEST_CUT).toWellFormed();
  const plain = part(whole.trim());
  const forms = [part(whole), plain].filter((form) => form.trim() !== '');
  if (plain.length < SHORTEST_ENCODED) return forms;
  const base64 = [0, 1, 2].map((before) => base64Within(plain, before)).filter((one) => one.length >= SHORTEST_ENCODED);
  const encoded = [encodeURIComponent(plain), new URLSearchParams({ '': plain }).toString().slice(1), JSON.stringify(plain).slice(1, -1)];
  return [...forms, ...encoded, ...base64, ...base64.map((one) => one.replaceAll('+', '-').replaceAll('/', '_'))];
}

/** The base64 of a text that `before` bytes precede, without the characters that also encode its neighbours. */
function base64Within(text: string, before: number): string {
  const bytes = Buffer.from('\0'.repeat(before) + text);
  const whole = withoutTrailing(bytes.toString('base64'), '=');
  return whole.slice(before === 0 ? 0 : before + 1, bytes.length % 3 === 0 ? undefined : -1);
}

function withoutForm(text: string, form: string): string {
  if (!text.includes(form.slice(0, FIRST_SOUGHT))) return text;
  const { ends } = textSearch(text, form);
  let shown = '';
  let from = 0;
  for (const end of ends) {
    shown += text.slice(from, end - form.length) + HIDDEN;
    from = end;
  }
  return shown + text.slice(from);
}

function withoutCut(text: string, form: string): string {
  const end = text.slice(1 - form.length);
  if (!end.includes(form.slice(0, SHORTEST_CUT))) return text;
  const { begun } = textSearch(end, form.slice(0, text.length + 1));
  return begun < SHORTEST_CUT ? text : text.slice(0, -begun) + HIDDEN;
}

/** A lone `%` is allowed in an address and means itself. */
const plainText = (text: string): string => decodedUri(text) ?? text;

/** An error's message without secrets. */
export function redact(error: unknown, secrets: readonly (string | undefined)[]): string {
  return hideSecrets(error instanceof Error ? error.message : String(error), secrets);
}
