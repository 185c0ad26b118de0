import { describe, expect, it, vi } from 'vitest';
import { aDeployment, aModelCanary, canaryRef, type ModelLab, primaryRef } from '../../../test/fakes/model/lab.ts';
import { HOSTILE, twoTenants } from '../../../test/fakes/model/two-tenants.ts';
import { ApiError } from '../../kube/errors.ts';
import { MOST_STATUS_BYTES } from './size.ts';

// A bound against a life that never ends; minutes of virtual time take a second.
vi.setConfig({ testTimeout: 60_000 });

/** Most writes that one Canary can cause in a minute: a healthy release makes fewer, and a loop thousands. */
const MOST_WRITES = 60;

const RELEASE = {
  targetUid: 'x',
  revision: 's1:x',
  observedGeneration: 1,
  run: 1,
  step: 'analysing',
  routes: { kind: 'weighted', canary: 10 },
  failedChecks: 0,
  iterations: 0,
  startedMs: 0,
  stepStartedMs: 0,
};
const STATUS = { phase: 'Progressing', failedChecks: 0, canaryWeight: 10, iterations: 0 };

const statuses: Record<string, object> = {
  'no release': {},
  'an empty release': { release: {} },
  'times beyond any date': { release: { ...RELEASE, stepStartedMs: 1e300, startedMs: 1e300, wakeAtMs: 1e300, measuredFromMs: 1e300 } },
  'the last date there is': { release: { ...RELEASE, stepStartedMs: 8.64e15, startedMs: 8.64e15, wakeAtMs: 8.64e15 } },
  'times before any date': { release: { ...RELEASE, stepStartedMs: -1e300, startedMs: -1e300, wakeAtMs: -1e300 } },
  'a pause of ever': { release: { ...RELEASE, paused: { by: 'x', sinceMs: 1e300 } } },
  'a blind time of ever': { release: { ...RELEASE, blindSinceMs: -1e300 } },
  'an alert of ever': { release: { ...RELEASE, deliveries: [{ key: 'a', kind: 'alert', message: 'x', sinceMs: 1e300 }] } },
  'an unknown step': { release: { ...RELEASE, step: '__proto__' } },
  'a step of another phase': { phase: 'Succeeded', release: { ...RELEASE, step: 'writingPrimary' } },
  'the last run there is': { release: { ...RELEASE, run: Number.MAX_SAFE_INTEGER, iterations: Number.MAX_SAFE_INTEGER } },
  'counters below zero': {
    release: { ...RELEASE, run: -1, iterations: -1, failedChecks: -1, heldPods: -1, stoppedPods: -1, podsAtStart: -1 },
  },
  'pods beyond all': { release: { ...RELEASE, heldPods: Number.MAX_SAFE_INTEGER, stoppedPods: Number.MAX_SAFE_INTEGER } },
  'ten thousand verdicts': { release: { ...RELEASE, verdicts: Array.from({ length: 10_000 }, () => ({ check: 'x', verdict: 'failed' })) } },
  'two thousand deliveries': {
    release: {
      ...RELEASE,
      deliveries: Array.from({ length: 2_000 }, (_, nth) => ({ key: `${nth}`, kind: 'event', message: 'x', sinceMs: 4e12 })),
    },
  },
  'a megabyte of text': { release: { ...RELEASE, reason: 'x'.repeat(1_000_000) } },
  'a thousand conditions': {
    release: RELEASE,
    conditions: Array.from({ length: 1_000 }, (_, nth) => ({ type: `T${nth}`, status: 'True', reason: 'x', message: 'x'.repeat(500) })),
  },
  'a prototype': {
    release: { ...RELEASE, failures: JSON.parse('{"__proto__":1,"constructor":2}'), recent: JSON.parse('{"__proto__":[]}') },
  },
  'an undo by a stranger': { release: { ...RELEASE, step: 'undoing', undo: { verb: 'undo', id: 'x', atMs: 1e300, by: 'x' } } },
};

/** One hostile application for each status, all in one namespace. */
function hostileCanaries(lab: ModelLab): void {
  for (const [nth, status] of Object.values(statuses).entries()) {
    const name = `app-${nth}`;
    const inHostile = (object: ReturnType<typeof aDeployment>) => ({ ...object, metadata: { ...object.metadata, namespace: HOSTILE } });
    lab.server.create(inHostile(aDeployment('1', name)));
    lab.server.create(inHostile(aModelCanary({ stepWeight: 50 }, {}, name)));
    lab.server.patch({ ...canaryRef, name, namespace: HOSTILE }, { status: { ...STATUS, ...status } }, 'status');
  }
}

describe('statuses that another tenant has forged', () => {
  it(`of ${Object.keys(statuses).length} kinds: a neighbour's release ends as always, and none is written in a loop`, async () => {
    const lab = await twoTenants();
    hostileCanaries(lab);
    lab.start();
    await lab.pass(15_000);
    const before = lab.writes.length;
    lab.push('3');
    expect(await lab.passUntil(() => lab.phase() === 'Progressing', 60_000)).toBe(true);
    expect(await lab.passUntil(() => lab.phase() === 'Succeeded', 300_000)).toBe(true);
    await lab.pass(60_000);
    expect(lab.answering()).toEqual([primaryRef.name]);
    expect(lab.lost).toEqual([]);
    const minutes = (lab.clock.monotonicMs() - (lab.writes[before]?.atMs ?? 0)) / 60_000;
    const often = Object.keys(statuses).flatMap((what, nth) => {
      const writes = lab.writes.slice(before).filter(({ ref }) => ref.namespace === HOSTILE && `${ref.name}-`.startsWith(`app-${nth}-`));
      return writes.length > MOST_WRITES * minutes ? [`${what}: ${writes.length} writes`] : [];
    });
    expect(often).toEqual([]);
    // Every status that is written is stored within the limit, mark included.
    const sizes = Object.keys(statuses).map(
      (_, nth) => JSON.stringify(lab.server.find({ ...canaryRef, name: `app-${nth}`, namespace: HOSTILE })?.status).length,
    );
    expect(sizes.filter((size) => size > MOST_STATUS_BYTES + 1_024)).toEqual([]);
    const failed = lab.logged.filter(({ msg, canary }) => msg === 'reconcile failed' && `${canary}`.startsWith(`${HOSTILE}/`));
    // The API server can refuse a forged counter.
    expect(failed.flatMap(({ canary, err }) => (err instanceof ApiError ? [] : [`${canary}: ${err}`]))).toEqual([]);
  });
});
