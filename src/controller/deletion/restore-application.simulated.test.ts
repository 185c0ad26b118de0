import fc from 'fast-check';
import { describe, expect, it as test } from 'vitest';
import {
  APP,
  aDeployment,
  canaryRef,
  type ModelLab,
  NAMESPACE,
  namespaceRef,
  primaryRef,
  targetRef,
} from '../../../test/fakes/model/lab.ts';
import { aLife, canaryOf, labOf } from '../../../test/fakes/model/life.ts';
import { imageOf, left } from '../../../test/fakes/model/uninstalling.ts';
import { propertyRuns, propertyTimeoutMs } from '../../../test/fakes/property-runs.ts';
import { raw } from '../../../test/fakes/raw.ts';
import type { KubeObject } from '../../api/kube-object.ts';
import { keptAnnotation } from '../../api/names.ts';

/** A life of the whole controller costs a hundred times one of the engine. */
const runs = () => propertyRuns(0.25, { quickShare: 0.15 });
const it = (title: string, property: () => Promise<void>) => test(title, { timeout: propertyTimeoutMs }, property);

describe('the end of a Canary, in virtual time', () => {
  it('I7: in any order of deletion of Canary, namespace, Serin and target, every side that can serve goes on, and no namespace waits', () =>
    fc.assert(
      fc.asyncProperty(aLife, fc.boolean(), deletions, async (life, revertOnDeletion, acts) => {
        const { lab, draw } = labOf(life);
        await lab.application(life.hasService);
        lab.server.create(canaryOf(life, revertOnDeletion ? { revertOnDeletion } : {}));
        begin(lab);
        await lab.pass(draw(0, 90_000));
        let primaryKeepsIt = false;
        let isChanged = false;
        let isAnew = false;
        for (const { act, thenMs } of acts) {
          if (act === 'deleteTarget' && lab.server.find(targetRef)) {
            primaryKeepsIt = lab.nodes.serves(primaryRef.name, NAMESPACE);
            // A user who deletes the serving pods has taken them away: proxies that still go there are not the fault of Serin.
            if (lab.mayReach(APP)) lab.watched = false;
          }
          if (act === 'deleteNamespace') lab.watched = false;
          if (act === 'push' || act === 'createTarget') isChanged = true;
          if (act === 'createCanary' && !lab.canary()) isAnew = true;
          if (act === 'createCanary') recreate(lab, canaryOf(life));
          else await carryOut(lab, act);
          await lab.pass(thenMs);
        }
        expect(lab.lost.slice(0, 3)).toEqual([]);
        if (lab.server.find(namespaceRef)?.metadata.deletionTimestamp !== undefined && !revertOnDeletion) {
          lab.kill();
          await lab.pass(60_000);
          expect('the namespace waits for Serin').toBe('gone');
        }
        if (!lab.isUp) begin(lab);
        await lab.pass(300_000);
        expect(lab.lost.slice(0, 3)).toEqual([]);
        if (lab.server.find(targetRef) === undefined && lab.server.find(canaryRef) === undefined && lab.hasAnswered) {
          lab.watched = false;
          await lab.pass(GRACE_MS);
          expect(left(lab).filter((one) => one !== `Service/${APP}`)).toEqual([]);
          return lab.close();
        }
        if (lab.server.find(namespaceRef) === undefined || !lab.hasAnswered) return lab.close();
        const isReleased = lab.server.find(canaryRef) !== undefined;
        const target = lab.server.find(targetRef);
        if (target) {
          const isKept = target.metadata.annotations?.[keptAnnotation] !== undefined;
          expect(lab.answering()).toEqual(isReleased ? expect.anything() : [isKept ? primaryRef.name : APP]);
          if (!isReleased && !isKept) expect(lab.server.find(primaryRef)).toBeUndefined();
          // Only a target with other bytes is not handed over (I19).
          if (isKept) expect([isChanged, imageOf(lab, targetRef) === imageOf(lab)]).toEqual([true, false]);
          if (isAnew && !isChanged) expect(raw(lab.canary())?.status?.release?.run ?? 0).toBe(0);
        } else if (primaryKeepsIt) expect(lab.answering()).toEqual([primaryRef.name]);
        lab.close();
      }),
      runs(),
    ));
});

/** Longer than all acts and the look at what serves after them. */
const GRACE_MS = 900_000;

type Deletion =
  | 'deleteCanary'
  | 'createCanary'
  | 'createTarget'
  | 'deleteNamespace'
  | 'deleteTarget'
  | 'stopSerin'
  | 'killSerin'
  | 'startSerin'
  | 'push';
/** Some of these in any order; a namespace goes in one life of four, since little can be seen after that. */
const deletions = fc
  .tuple(
    fc.shuffledSubarray<Deletion>(
      ['deleteCanary', 'createCanary', 'deleteTarget', 'createTarget', 'killSerin', 'stopSerin', 'startSerin', 'push'],
      {
        minLength: 2,
      },
    ),
    fc.option(fc.nat({ max: 8 }), { freq: 3 }),
    fc.array(fc.integer({ min: 0, max: 30_000 }), { minLength: 9, maxLength: 9 }),
  )
  .map(([acts, namespaceAt, pauses]) => {
    const all = namespaceAt === null ? acts : acts.toSpliced(namespaceAt, 0, 'deleteNamespace');
    return all.map((act, index) => ({ act, thenMs: pauses[index] ?? 0 }));
  });

/** The same Canary again, where its namespace lives. */
function recreate(lab: ModelLab, canary: KubeObject): void {
  if (hasHome(lab) && !lab.canary()) lab.server.create(canary);
}

function hasHome(lab: ModelLab): boolean {
  const home = lab.server.find(namespaceRef);
  return home !== undefined && home.metadata.deletionTimestamp === undefined;
}

function begin(lab: ModelLab): void {
  lab.start(() => true, { uninstallGraceMs: GRACE_MS });
}

async function carryOut(lab: ModelLab, act: Exclude<Deletion, 'createCanary'>): Promise<void> {
  switch (act) {
    case 'deleteCanary':
      return lab.server.delete(canaryRef);
    case 'deleteNamespace':
      return lab.server.delete(namespaceRef);
    case 'deleteTarget':
      return lab.server.delete(targetRef);
    case 'stopSerin':
      return lab.stop();
    case 'killSerin':
      return lab.kill();
    case 'startSerin':
      return lab.isUp ? undefined : begin(lab);
    case 'createTarget':
      if (hasHome(lab) && !lab.server.find(targetRef)) lab.server.create(aDeployment('again'));
      return;
    case 'push':
      if (lab.server.find(targetRef)) lab.push(String(lab.clock.monotonicMs()));
      return;
    default:
      return act satisfies never;
  }
}
