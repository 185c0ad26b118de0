import { expect, it } from 'vitest';
import { handClock } from '../../../test/fakes/clock.ts';
import { releasing, steps } from '../../../test/fakes/releasing.ts';
import type { KubeObject } from '../../api/kube-object.ts';
import { ControllerConfig } from '../config.ts';
import type { ControllerDeps } from '../controller-deps.ts';
import { ArrivalWarnings } from './arrival-warnings.ts';
import { RunnableSpec } from './runnable-spec.ts';
import { WrittenSpec } from './written-spec.ts';

const { signal } = new AbortController();

/** A Canary in the middle of a release, whose spec was edited since. */
function edited(analysis: object, generation = 2): KubeObject {
  const { spec, metadata, ...rest } = releasing(steps).canary;
  const { name, namespace, uid, resourceVersion } = metadata;
  return {
    ...{ ...rest, metadata: { name, namespace, uid, resourceVersion, generation } },
    spec: { ...spec, analysis: { ...spec.analysis, ...analysis } },
  };
}

/** Resolves and tracks this Canary, optionally with a stored accepted spec; returns the tracked specs. */
async function tracked(raw: KubeObject, accepted?: KubeObject) {
  const specs: { generation: number | undefined; steps: unknown }[] = [];
  const deps = {
    ...{ config: ControllerConfig.parse({}), clock: handClock(), olderRival: () => undefined },
    trackedGeneration: () => accepted?.metadata.generation ?? raw.metadata.generation,
    view: { find: () => undefined, ready: async () => undefined },
    applications: { readRoutes: async () => ({ objects: [], unread: [] }) },
    anchors: { originalSpec: async () => undefined, acceptedSpecs: async () => (accepted ? [accepted.spec] : []) },
    track: (_: unknown, { metadata, spec }: KubeObject & { spec: { analysis: { stepWeight: number } } }) =>
      specs.push({ generation: metadata.generation, steps: spec.analysis.stepWeight }),
  } as unknown as ControllerDeps;
  const runnable = new RunnableSpec(deps, new ArrivalWarnings(deps), new WrittenSpec());
  const found = await runnable.resolve(raw, signal);
  if ('reason' in found) throw new Error(found.message);
  return { untilMs: runnable.track(found.canary, raw), specs };
}

it('E65: a refused edit of a spec that is not known has its own objects watched, and an analysis with an end', async () => {
  expect(await tracked(edited({ stepWeight: 0 }))).toEqual({ untilMs: 60_000, specs: [{ generation: 2, steps: 0 }] });
});

it('E65: a refused edit of a known spec is not watched, and an accepted one is, once', async () => {
  expect(await tracked(edited({ stepWeight: 0 }), edited({}, 1))).toEqual({ untilMs: 0, specs: [] });
  expect(await tracked(edited({ stepWeight: 5 }), edited({}, 1))).toEqual({ untilMs: 0, specs: [{ generation: 2, steps: 5 }] });
  expect(await tracked(edited({ stepWeight: 5 }), edited({ stepWeight: 5 }))).toEqual({ untilMs: 0, specs: [] });
});
