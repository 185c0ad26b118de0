import { createHash } from 'node:crypto';
import type { KubeObject } from '../../api/kube-object.ts';
import { isRecord } from '../../base/json.ts';
import type { Salt } from './salt.ts';

/** First bytes of the SHA-256 that make a checksum, in hexadecimal digits (03-CT10). */
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
 * Checksum of what a ConfigMap or Secret holds, in the bytes that Flagger hashes, so that one that was tracked
 * before is not changed (03-CT10, CT11). `binaryData`, which it does not look at (03-B8), follows on a line of its own where there is any.
 */
export function configChecksum(config: Contents): string {
  return createHash('sha256').update(textOf(config)).digest('hex').slice(0, DIGITS);
}

/** The same of a Secret, with a salt: from a checksum that all may read, what it holds must not be found by trying. Equal Secrets have others. */
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

/** A map of strings as Go's encoding/json writes it. Key by key: JavaScript's own order puts integer-like keys first. */
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
