import { expect, it, vi } from 'vitest';
import { isChosen, partOf, titleOf } from '../../../test/fakes/covering-part.ts';
import { APP, aModelCanary, canaryRef, type ModelLab, NAMESPACE, targetRef } from '../../../test/fakes/model/lab.ts';
import { labOf, labWithApp } from '../../../test/fakes/model/life.ts';
import { raw } from '../../../test/fakes/raw.ts';
import type { KubeObject } from '../../api/kube-object.ts';
import { RequestTimeoutError } from '../../kube/errors.ts';

// A bound against a life that never ends; minutes of virtual time take a second.
vi.setConfig({ testTimeout: 120_000 });

/** Steps of 25: an event that is sent twice and a step back can be seen. */
const PLAN = {
  stepWeight: 25,
  maxWeight: 75,
  metrics: [{ name: 'orders', templateRef: { name: 'orders' }, thresholdRange: { min: 1 } }],
};
/** Duration of a check: the release is read again meanwhile, and has nothing to write earlier. */
const CHECK_MS = 3_000;
const template: KubeObject = {
  apiVersion: 'flagger.app/v1beta1',
  kind: 'MetricTemplate',
  metadata: { name: 'orders', namespace: NAMESPACE },
  spec: { provider: { type: 'externalmetrics' }, query: `${NAMESPACE}/orders` },
};
/** Number of records of the release, from its beginning to its end. */
const RECORDS = 8;
/** The pairs of delay and record that are tried; test/long plays all. */
const part = partOf(2);
const recordsOf = (row: number): number[] => Array.from({ length: RECORDS }, (_, nth) => nth).filter((nth) => isChosen(part, row, nth));

/** Each state of the status that was stored. */
function keepStates(lab: ModelLab): string[] {
  const states: string[] = [];
  lab.server.api.store.subscribe(({ object }) => {
    if (object.kind !== 'Canary') return;
    const { phase, canaryWeight } = raw(object).status ?? {};
    const state = `${phase} ${canaryWeight}`;
    if (states.at(-1) !== state) states.push(state);
  });
  return states;
}

interface Loss {
  wasStored(): boolean;
  /** True for the first caller after it. */
  isFresh(): boolean;
}

/** The `nth` write of the status gets no answer in time; the API server stores it all the same, so much later. */
function loseAnswer(lab: ModelLab, nth: number, storedAfterMs: number): Loss {
  let count = 0;
  let wasStored = false;
  let isFresh = false;
  lab.refuse = ({ verb, subresource, ref, body }) => {
    if (verb !== 'patch' || subresource !== 'status' || ref.kind !== 'Canary' || count++ !== nth) return;
    lab.clock.setTimer(storedAfterMs, () => {
      try {
        lab.server.patch(canaryRef, body, 'status');
        wasStored = true;
      } catch {
        // Another writer has written since, so that the API server refuses it: this is what a version in a write is for.
      }
    });
    isFresh = true;
    throw new RequestTimeoutError(`PATCH /apis/flagger.app/v1beta1/namespaces/${NAMESPACE}/canaries/${APP}/status`, 1_800);
  };
  return {
    wasStored: () => wasStored,
    isFresh: () => {
      const isIt = isFresh;
      isFresh = false;
      return isIt;
    },
  };
}

it.each([100, 700, 1_500, 3_000].map((storedAfterMs, row) => [storedAfterMs, row] as const))(
  `I9: a record whose answer is lost, and that is stored %i ms later, is what the release goes on from: no step is made twice (${titleOf(part)})`,
  async (storedAfterMs, row) => {
    let stored = 0;
    for (const nth of recordsOf(row)) {
      const lab = await labWithApp();
      lab.server.create(template);
      lab.server.create(aModelCanary(PLAN));
      lab.start();
      expect(
        await lab.passUntil(() => lab.phase() === 'Initialized' && raw(lab.server.find(targetRef))?.spec.replicas === 0, 120_000),
      ).toBe(true);
      const states = keepStates(lab);
      const loss = loseAnswer(lab, nth, storedAfterMs);
      // Just after the loss a check would fail: that is recorded without a step, and so at the weight that the release believes in.
      lab.externalMetric = () => ({ value: loss.isFresh() ? 0 : 1, afterMs: CHECK_MS });
      lab.push('2');
      expect(await lab.passUntil(() => lab.phase() === 'Succeeded', 300_000)).toBe(true);
      expect({ nth, states: states.filter((state) => state.startsWith('Progressing')) }).toEqual({
        nth,
        states: ['Progressing 0', 'Progressing 25', 'Progressing 50', 'Progressing 75'],
      });
      expect(lab.lost).toEqual([]);
      stored += loss.wasStored() ? 1 : 0;
      lab.close();
    }
    expect(stored).toBeGreaterThan(0);
  },
);

/** The Events of the Canary, in the order in which they were logged. */
function eventsOf(lab: ModelLab): string[] {
  return lab.logged.flatMap(({ canary, reason, msg }) => (canary !== undefined && reason !== undefined ? [`${reason}: ${msg}`] : []));
}

/** Events of a Canary from its creation to the end of its first release, with one write of its status unanswered. */
async function eventsWithout(nth: number, storedAfterMs: number, seed: number): Promise<{ events: string[]; wasStored: boolean }> {
  const { lab } = labOf({ seed, provider: 'istio', delayMs: 2_000, plan: 0, hasService: true });
  await lab.application();
  lab.server.create(template);
  lab.server.create(aModelCanary(PLAN));
  const loss = loseAnswer(lab, nth, storedAfterMs);
  lab.externalMetric = () => ({ value: 1, afterMs: 0 });
  lab.start();
  await lab.passUntil(() => lab.phase() === 'Initialized' && raw(lab.server.find(targetRef))?.spec.replicas === 0, 120_000);
  lab.push('2');
  await lab.passUntil(() => lab.phase() === 'Succeeded', 300_000);
  await lab.passUntil(() => false, 5_000);
  const events = eventsOf(lab);
  lab.close();
  return { events, wasStored: loss.wasStored() };
}

it.each([100, 700])(
  'an event is sent once, though the write that it reports was stored %i ms later and never answered',
  async (storedAfterMs) => {
    let stored = 0;
    // The seed draws the time of the next write, which decides whether a late write is still stored.
    for (const seed of [5, 6]) {
      const { events: undisturbed } = await eventsWithout(Number.POSITIVE_INFINITY, storedAfterMs, seed);
      expect(undisturbed.length).toBeGreaterThan(5);
      for (let nth = 0; nth < 20; nth++) {
        const { events, wasStored } = await eventsWithout(nth, storedAfterMs, seed);
        expect({ seed, nth, events }).toEqual({ seed, nth, events: undisturbed });
        stored += wasStored ? 1 : 0;
      }
    }
    expect(stored).toBeGreaterThan(3);
  },
);
