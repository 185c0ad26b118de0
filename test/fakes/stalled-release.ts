import { describe, expect, it } from 'vitest';
import type { Verdict } from '../../src/api/canary-status.ts';
import type { Cause } from '../../src/api/codes/codes.ts';
import type { KubeObject } from '../../src/api/kube-object.ts';
import { projectStatus } from '../../src/engine/project-status.ts';
import type { Diagnosis } from '../../src/reading/documents/canary-documents.ts';
import { type CanarySnapshot, snapshotOf } from '../../src/reading/snapshot.ts';
import { whyOf } from '../../src/reading/why/diagnose.ts';
import type { World } from './world.ts';

/** A world in which nothing moves, and its objects that a user sees. */
export interface StalledRelease {
  world: World;
  /** Laid over the target and the primary of the world. `undefined` if the object does not exist. */
  target?: object | undefined;
  primary?: object | undefined;
  targetPods?: KubeObject[];
  primaryPods?: KubeObject[];
}

export interface Stall {
  title: string;
  arrange(): StalledRelease;
  cause: Cause;
  /** Kind and field that prove it. */
  proof: [string, string | RegExp];
  action: RegExp;
  /** The remedy for a user, in the words of `wayOf`. Absent if `action` only needs others. */
  way?: string;
  /** Does what the action says, and no more. */
  mend(stalled: StalledRelease): void;
}

export const workload = (name: string, replicas: number, ready: number): KubeObject => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name, namespace: 'test', generation: 1 },
  spec: { replicas, selector: { matchLabels: { app: name } }, template: { spec: { containers: [] } } },
  status: { observedGeneration: 1, replicas, updatedReplicas: replicas, availableReplicas: ready, readyReplicas: ready },
});

/** Objects as the cluster would show them now, with the message that the controller would store. */
export function snapshotIn({ world, targetPods = [], primaryPods = [], ...stalled }: StalledRelease): CanarySnapshot {
  const facts = world.facts();
  const { release, phase = '' } = world.canary.status ?? {};
  const status = release ? projectStatus(world.canary, phase, release, facts) : undefined;
  const conditions = [
    ...(status?.conditions ?? []).slice(0, 1),
    ...(facts.refused ? [{ type: 'Accepted', status: 'False', ...facts.refused }] : []),
  ];
  const raw: KubeObject = JSON.parse(JSON.stringify({ ...world.canary, status: status && { ...status, conditions } }));
  const { target, primary } = facts;
  const shown = (side: typeof target | typeof primary, name: string, over: object | undefined, isGone: boolean) =>
    side === undefined || isGone
      ? {}
      : { [name === 'podinfo' ? 'target' : 'primary']: { ...workload(name, side.replicas, side.readiness.ready), ...over } };
  // The same template by the release's own record: the world identifies it without a template.
  const seen = target && { metadata: { ...workload('podinfo', 1, 1).metadata, uid: target.uid, generation: target.generation } };
  return {
    ...snapshotOf(raw),
    ...shown(target, 'podinfo', { ...seen, ...stalled.target }, 'target' in stalled && stalled.target === undefined),
    ...shown(primary, 'podinfo-primary', stalled.primary, 'primary' in stalled && stalled.primary === undefined),
    targetPods,
    primaryPods,
  };
}

export const verdict = (one: Partial<Verdict>): Verdict => ({ check: 'errors', verdict: 'failed', ...one });

export function pushed(world: World, isSo: (world: World) => boolean = ({ step }) => step === 'analysing'): World {
  world.pushUntil('s1:b', isSo);
  return world;
}

/** The one thing that it says can be done. */
export function wayOf({ change, command }: Diagnosis): string | undefined {
  if (command !== undefined) return `run ${command}`;
  return change && [change.verb, change.kind, change.name, change.field].filter(Boolean).join(' ');
}

/** Each is reported with its cause, the field that proves it and its remedy; and the remedy clears it. */
export function describeEach(what: string, stalls: readonly Stall[]): void {
  describe(`serin why of ${what}`, () => {
    it.each(stalls)('$title: $cause is named, proved and cleared', ({ arrange: play, cause, proof: [kind, field], action, way, mend }) => {
      const stalled = play();
      const { diagnosis } = whyOf(snapshotIn(stalled));
      expect(diagnosis.cause, diagnosis.sentence).toBe(cause);
      const [proof] = diagnosis.proof;
      expect(proof?.kind).toBe(kind);
      expect(proof?.field).toMatch(field);
      expect(diagnosis.action).toMatch(action);
      expect(wayOf(diagnosis)).toBe(way);
      mend(stalled);
      expect(whyOf(snapshotIn(stalled)).diagnosis.cause).not.toBe(cause);
    });
  });
}
