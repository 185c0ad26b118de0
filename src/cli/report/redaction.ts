import type { KubeObject } from '../../api/kube-object.ts';
import { userInfoOf, withoutSecrets } from '../../base/hide-secrets.ts';
import { isSecretName } from '../../base/redact-text.ts';
import { redactObject } from '../../reading/redaction/redact-object.ts';
import { SecretTraces } from './secret-traces.ts';

const SHORTEST = 6;
/** Shortest value that is hidden only by its form: shorter values are part of ordinary words. */
const SHORTEST_UNNAMED = 8;
/** The form of names and hosts: such a value is hidden in its field, but not where it occurs elsewhere. */
const LIKE_A_NAME = /^[a-z0-9.-]+$/;

/**
 * Takes credentials out of all parts of one report: out of the fields of objects, and then wherever else the same value occurs, in any form, since a message
 * can repeat the value of a header.
 */
export class Redaction {
  readonly #taken = new Set<string>();
  readonly #names = new Set<string>();
  readonly #traces: SecretTraces;
  #count = 0;

  /** `traces`: shared by all of one archive. */
  constructor(traces = new SecretTraces()) {
    this.#traces = traces;
  }

  /** Number of values that were taken out of objects. */
  get count(): number {
    return this.#count;
  }

  object(object: KubeObject): KubeObject {
    this.#traces.see(object);
    this.#names.add(object.metadata.name).add(object.metadata.namespace ?? '');
    return redactObject(object, (value, name) => {
      this.#count += 1;
      for (const part of partsOf(value, name)) this.#taken.add(part);
    });
  }

  /** Redacts a whole file, when every object has been seen. */
  text(text: string): string {
    return this.#traces.hide(withoutSecrets(text, this.#taken.difference(this.#names)));
  }
}

function partsOf(value: string, name: string): string[] {
  const url = URL.parse(value);
  const inAddress = url === null ? [] : [...userInfoOf(value), ...url.searchParams.values(), ...url.pathname.split('/').filter(isTelling)];
  const lines = name === '' ? [] : value.split('\n').map((line) => line.trim());
  const own = lines.filter((line) => (isSecretName(name) ? line.length >= SHORTEST : isTelling(line)));
  return [...inAddress.filter((part) => part.length >= SHORTEST), ...own];
}

/** Looks like a random secret. */
function isTelling(value: string): boolean {
  return (
    value.length >= SHORTEST_UNNAMED && /\d/.test(value) && /[A-Za-z]/.test(value) && !LIKE_A_NAME.test(value) && !value.includes('://')
  );
}
