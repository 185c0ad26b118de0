import { createHash, createHmac } from 'node:crypto';
import type { Canary } from '../../api/canary.ts';
import { asConfig } from '../../api/kinds/config.ts';
import type { KubeObject, OwnerReference } from '../../api/kube-object.ts';
import { ownerAnnotation, saltName } from '../../api/names.ts';
import { canaryLabel, canaryLabelValue } from '../anchor.ts';

/** A separate type: no field of ours can name such a Secret, and no target's pods are released because of it. */
export const saltType = 'serin.dev/salt';

const KEY = 'salt';
const BYTES = 32;
const ID_DIGITS = 8;
const MARK_DIGITS = 32;

/**
 * Makes checksums of Secrets that only the owner of the salt can compare with a guess: a short password can be found by trying all of them against a plain
 * hash. Its bytes are in no log and no JSON.
 */
export class Salt {
  /** Identifies in each checksum the salt that made it; derived from the salt, so that another salt under its name is detected. */
  readonly id: string;
  readonly #bytes: Buffer;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
    this.id = createHash('sha256').update('id').update(bytes).digest('hex').slice(0, ID_DIGITS);
  }

  /** 256 bits from random words of any form. */
  static of(words: readonly string[]): Salt {
    return new Salt(createHash('sha256').update(words.join(' ')).digest());
  }

  mark(text: string): string {
    return `${this.id}.${createHmac('sha256', this.#bytes).update(text).digest('hex').slice(0, MARK_DIGITS)}`;
  }

  /** The Secret that keeps the salt of this Canary, with the anchor as its owner. */
  render(canary: Pick<Canary, 'metadata'>, owner: OwnerReference): KubeObject {
    const { name, namespace, uid } = canary.metadata;
    return {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: {
        name: saltName(canary),
        namespace,
        labels: { [canaryLabel]: canaryLabelValue(name) },
        annotations: { [ownerAnnotation]: uid },
        ownerReferences: [owner],
      },
      type: saltType,
      immutable: true,
      data: { [KEY]: this.#bytes.toString('base64') },
    };
  }
}

/** The salt in a Secret; undefined if the Secret is not ours, or was changed. */
export function readSalt(secret: KubeObject): Salt | undefined {
  const { data, type } = asConfig(secret);
  const text = type === saltType ? (data as Record<string, unknown> | undefined)?.[KEY] : undefined;
  const bytes = typeof text === 'string' ? Buffer.from(text, 'base64') : undefined;
  return bytes?.length === BYTES ? new Salt(bytes) : undefined;
}

/** Id of the salt that made a checksum; undefined without a salt, as for a ConfigMap, or for a Secret that Flagger or an earlier version recorded. */
export function saltIdOf(checksum: string | undefined): string | undefined {
  return /^([0-9a-f]{8})\.[0-9a-f]{32}$/.exec(checksum ?? '')?.[1];
}
