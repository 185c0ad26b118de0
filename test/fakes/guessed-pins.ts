import { createHash } from 'node:crypto';
import type { KubeObject } from '../../src/api/kube-object.ts';
import { canonicalJson } from '../../src/base/json.ts';
import { configChecksum } from '../../src/workloads/configs/checksum.ts';
import { revisionWithConfigs } from '../../src/workloads/configs/revision.ts';
import { Salt } from '../../src/workloads/configs/salt.ts';
import { deployment } from '../../src/workloads/deployment/deployment.ts';

const sha = (text: string) => createHash('sha256').update(text).digest('hex');

/** A Secret that holds nothing but a PIN of four digits. */
export const holdingPin = (pin: string) => ({ type: 'Opaque', data: { pin: Buffer.from(pin).toString('base64') } });

/**
 * PINs that a reader of these texts finds by trying all of them, who knows how Serin made hashes of the Secret `name` until 0.1: checksum, name of the
 * copy, revision of the target. The texts are read once and not once for each hash: a standing attack on megabytes of objects would else keep its whole
 * process from everything else for a minute.
 */
export function guessedPins(text: string, name: string, canaryUid: string, target: KubeObject): string[] {
  const template = deployment.revision(target);
  const pins = new Map<string, string>();
  for (let n = 0; n < 10_000; n += 1) {
    const pin = `${n}`.padStart(4, '0');
    const content = holdingPin(pin);
    const checksum = configChecksum(content);
    const source = { canary: canaryUid, kind: 'Secret', name, content: { data: content.data, type: content.type } };
    const revision = revisionWithConfigs(template, { [`secret/${name}`]: { uid: 'u', checksum } });
    for (const hash of [checksum, sha(canonicalJson(source)).slice(0, 10), revision.slice(revision.indexOf(':') + 1)]) pins.set(hash, pin);
  }
  return [...new Set(hexIn(text, new Set([...pins.keys()].map(({ length }) => length))).flatMap((hex) => pins.get(hex) ?? []))].toSorted();
}

/** All pieces of these lengths in the text that are hexadecimal. */
const hexIn = (text: string, lengths: ReadonlySet<number>): string[] =>
  [...lengths].flatMap((length) => [...text.matchAll(new RegExp(`(?=([0-9a-f]{${length}}))`, 'g'))].map(([, piece = '']) => piece));

/** A salt whose bytes its maker knows. */
export const knownSalt = new Salt(Buffer.alloc(32));
