import { createHash } from 'node:crypto';
import type { KubeObject } from '../../src/api/kube-object.ts';
import { canonicalJson } from '../../src/base/json.ts';
import { configChecksum } from '../../src/workloads/configs/checksum.ts';
import { revisionWithConfigs, type SeenConfigs } from '../../src/workloads/configs/revision.ts';
import { Salt } from '../../src/workloads/configs/salt.ts';
import { deployment } from '../../src/workloads/deployment/deployment.ts';

const sha = (text: string) => createHash('sha256').update(text).digest('hex');

/** A Secret that holds nothing but a PIN of four digits. */
export const holdingPin = (pin: string) => ({ type: 'Opaque', data: { pin: Buffer.from(pin).toString('base64') } });

/**
 * PINs that a reader of these texts finds by trying all of them, who knows how Serin made hashes of the Secret `name` until 0.1: checksum, name of the
 * copy, revision of the target.
 */
export function guessedPins(text: string, name: string, canaryUid: string, target: KubeObject): string[] {
  const template = deployment.revision(target);
  return Array.from({ length: 10_000 }, (_, n) => `${n}`.padStart(4, '0')).filter((pin) => {
    const content = holdingPin(pin);
    const checksum = configChecksum(content);
    const source = { canary: canaryUid, kind: 'Secret', name, content: { data: content.data, type: content.type } };
    const configs: SeenConfigs = { [`secret/${name}`]: { uid: 'u', checksum } };
    return [checksum, sha(canonicalJson(source)).slice(0, 10), revisionWithConfigs(template, configs)].some((hash) => text.includes(hash));
  });
}

/** A salt whose bytes its maker knows. */
export const knownSalt = new Salt(Buffer.alloc(32));
