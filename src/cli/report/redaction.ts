import type { KubeObject } from '../../api/kube-object.ts';
import { userInfoOf, withoutSecrets } from '../../base/hide-secrets.ts';
import { redactObject } from '../../reading/redaction/redact-object.ts';
import { isSecretName } from '../../reading/redaction/redact-text.ts';
import { SecretTraces } from './secret-traces.ts';

const SHORTEST = 6;
/** Shortest value that is hidden by its form alone: shorter ones are part of ordinary words. */
const SHORTEST_UNNAMED = 8;
/** As names and hosts are written: hidden where it stood, and not wherever it may stand. */
const LIKE_A_NAME = /^[a-z0-9.-]+$/;

/**
 * Takes credentials out of all that goes into one report: where they stand in an object, and then wherever else the same value stands, in
 * whatever form: a message may repeat what a header held.
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

  /** How many values were taken out of objects. */
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
