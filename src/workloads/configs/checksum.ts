import { createHash } from 'node:crypto';
import type { KubeObject } from '../../api/kube-object.ts';
import { isRecord } from '../../base/json.ts';
import type { Salt } from './salt.ts';

/** Number of bytes of the SHA-256 in a checksum, as hexadecimal digits. */
const DIGITS = 16;
/** Short escapes of Go's encoding/json; other control characters are written `\u00xx`. */
const SHORT: Readonly<Record<string, string>> = {
  '"': '\\"',
  '\\': '\\\\',
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
};
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters that Go escapes
const ESCAPED = /["\\<>&\u0000-\u001f\u2028\u2029]/g;

/**
 * Checksum of the content of a ConfigMap or Secret, in the bytes that Flagger hashes, so that a config that Flagger tracked does not change.
 * `binaryData`, which Flagger ignores, follows on a separate line if it is not empty.
 */
export function configChecksum(config: Contents): string {
  return createHash('sha256').update(textOf(config)).digest('hex').slice(0, DIGITS);
}

/**
 * The same for a Secret, with a salt: its content must not be found by guesses from a checksum that all may read. Secrets with equal content have different
 * checksums.
 */
export function secretChecksum(secret: Pick<KubeObject, 'metadata'> & Contents, salt: Salt): string {
  return salt.mark(`${secret.metadata.name}\n${textOf(secret)}`);
}

interface Contents {
  data?: unknown;
  binaryData?: unknown;
  [field: string]: unknown;
}

function textOf({ data, binaryData }: Contents): string {
  const hasBinary = isRecord(binaryData) && Object.keys(binaryData).length > 0;
  return hasBinary ? `${goJson(data)}\n${goJson(binaryData)}` : goJson(data);
}

/** A map of strings as written by Go's encoding/json. Key by key: JavaScript's own order puts integer-like keys first. */
function goJson(map: unknown): string {
  if (!isRecord(map)) return 'null';
  const members = Object.keys(map)
    .sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
    .map((key) => `${goString(key)}:${goString(String(map[key]))}`);
  return `{${members.join(',')}}`;
}

function goString(text: string): string {
  return `"${text.replace(ESCAPED, (c) => SHORT[c] ?? `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`)}"`;
}
