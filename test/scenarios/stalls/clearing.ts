import { expect } from 'vitest';
import { exitCodes } from '../../../src/cli/output/exit-codes.ts';
import type { Diagnosis } from '../../../src/reading/documents/canary-documents.ts';
import { Why } from '../../../src/reading/documents/canary-documents.ts';
import { serin } from '../serin.ts';
import { refOfKind } from './kubectl.ts';
import { setField } from './set-field.ts';
import { APP, type Stall, type StallFixture } from './stall.ts';

/** Runs a line that was printed to be copied. */
export type RunLine = (line: string) => Promise<void>;

/** JSON output of `serin why`, `undefined` if the Canary no longer exists. */
export async function whyOfStall({ kubeconfigFile }: StallFixture, namespace: string): Promise<Why | undefined> {
  const { code, said, complained } = await serin(kubeconfigFile, 'why', APP, '-n', namespace, '-o', 'json');
  if (code === exitCodes.notFound.code) return undefined;
  expect(code, complained).toBe(0);
  return Why.parse(JSON.parse(said));
}

export const isNamed = ({ why }: Stall, found: Why | undefined): boolean =>
  found !== undefined &&
  [why.cause].flat().some((cause) => cause === found.diagnosis.cause) &&
  why.proof.test(proofOf(found.diagnosis)) &&
  (why.also === undefined || found.also.some(({ cause }) => cause === why.also));

export const proofOf = ({ proof: [first] }: Diagnosis): string => `${first?.kind} ${first?.name}: ${first?.field}`;

/** Does what the finding says and nothing else; what the stall adds is the value, or the object. */
export async function clear(
  { namespace, why }: Stall,
  { command, change, action }: Diagnosis,
  fixture: StallFixture,
  run: RunLine,
): Promise<void> {
  const { cluster } = fixture;
  const way = why.clear;
  if (way === 'nothing') return;
  if (way === 'command') {
    expect(command, 'there is a command').toBeDefined();
    return run(command ?? '');
  }
  expect(command, 'no command is given that does not clear it').toBeUndefined();
  if (typeof way === 'object' && 'others' in way) {
    expect(change, 'nothing is asked of the reader').toBeUndefined();
    expect(action).not.toBe('');
    return void (await way.others(fixture));
  }
  if (change === undefined) throw new Error(`nothing says what to change: ${action}`);
  expect([change.namespace ?? namespace]).toEqual([namespace]);
  const verb = typeof way === 'string' ? way : 'create' in way ? 'create' : 'set';
  expect(change.verb).toBe(verb);
  if (way === 'remove') return cluster.delete(refOfKind(change.kind, change.name, namespace));
  if ('create' in way) {
    const object = way.create(fixture);
    if (!object) return;
    expect([object.kind, object.metadata.name]).toEqual([change.kind, change.name]);
    await cluster.create(object);
  } else if ('anew' in way) {
    const object = way.anew();
    const ref = refOfKind(change.kind, change.name, namespace);
    expect([object.kind, object.metadata.name]).toEqual([change.kind, change.name]);
    await cluster.delete(ref);
    await cluster.create(object);
  } else {
    const value = typeof way.set === 'function' ? way.set(fixture) : way.set;
    await setField(cluster, refOfKind(change.kind, change.name, namespace, why.apiVersion), change.field ?? '', value);
  }
}
