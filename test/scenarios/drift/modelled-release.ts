import { type KubeObject, type ObjectRef, refKey } from '../../../src/api/kube-object.ts';
import type { SentWrite } from '../../fakes/model/client.ts';
import { APP, type ModelLab, NAMESPACE } from '../../fakes/model/lab.ts';
import { labOf } from '../../fakes/model/life.ts';
import { raw } from '../../fakes/raw.ts';
import { canaryFor } from '../providers/canary-for.ts';
import type { ProviderFixture } from '../providers/provider-fixture.ts';
import type { LiveRelease } from './live-release.ts';

const ONE_PASS_MS = 2_000;
const STEP_MS = 3_600_000;
const LEAP_MS = 60_000;
const LONGEST_MS = 600_000;
const MANAGER = 'gitops';

/** In virtual time: a step an hour, and between two of them time for the writes of others. */
export async function startModelledRelease(
  fixture: ProviderFixture,
  analysis: object,
): Promise<{ release: LiveRelease; lab: ModelLab; canary: KubeObject }> {
  const { lab } = labOf({ seed: 17, provider: 'istio', delayMs: 1_000, plan: 0, hasService: true });
  await lab.application();
  // Lost requests are checked where proxies know every provider.
  lab.watched = false;
  const app = { name: APP, namespace: NAMESPACE };
  for (const object of fixture.objects?.(app) ?? []) lab.server.create(object);
  const canary = canaryFor(fixture, app, { interval: '60m', ...analysis });
  lab.server.create(canary);
  lab.start();
  await must(lab, 'initialized', () => lab.phase() === 'Initialized');
  lab.push('2');
  await must(lab, 'progressing', () => lab.phase() === 'Progressing');
  return { release: releaseOf(lab), lab, canary };
}

function releaseOf(lab: ModelLab): LiveRelease {
  const { server } = lab;
  return {
    isPausedBetweenCalls: true,
    find: async (ref) => server.find(ref),
    put: async (object) => void server.putAs(MANAGER, object),
    create: async (object) => void server.putAs(MANAGER, object),
    patch: async (ref, patch) => void server.patch(ref, patch),
    delete: async (ref) => server.delete(ref),
    onePass: () => lab.pass(ONE_PASS_MS),
    writes: async (refs) => writesTo(lab, refs),
    nextStep: async () => {
      const weight = raw(lab.canary())?.status?.canaryWeight;
      await must(lab, `past ${weight}%`, () => raw(lab.canary())?.status?.canaryWeight !== weight, 2 * STEP_MS);
      await lab.pass(ONE_PASS_MS);
    },
    nowMs: () => lab.clock.monotonicMs(),
    wait: (ms) => lab.pass(ms),
    async eventually(what, isSo) {
      for (let ms = 0; ms < LONGEST_MS && !(await isSo()); ms += LEAP_MS) await lab.pass(LEAP_MS);
      if (!(await isSo())) throw new Error(`${what}: not within ${LONGEST_MS / 1000} s of virtual time`);
    },
  };
}

function writesTo(lab: ModelLab, refs: readonly ObjectRef[]): number {
  const keys = refs.map(refKey);
  const isContent = ({ ref, subresource, body }: SentWrite) => subresource === '' && keys.includes(refKey(ref)) && !givesFieldsUp(body);
  return lab.writes.filter((write) => isContent(write) && !write.isRefused).length;
}

/** Leaps in time: nothing is checked in between. */
async function must(lab: ModelLab, what: string, isDone: () => boolean, mostMs = LONGEST_MS): Promise<void> {
  for (let ms = 0; ms < mostMs && !isDone(); ms += LEAP_MS) await lab.pass(LEAP_MS);
  if (isDone()) return;
  throw new Error(`the release does not get ${what}: ${JSON.stringify(lab.canary()?.status, undefined, 1)}`);
}

/** It changes who owns fields, and no field: a watch does not count it either. */
const givesFieldsUp = (body: object): boolean =>
  Array.isArray(body) &&
  body.every(({ op, path }: { op: string; path: string }) => op === 'test' || path.startsWith('/metadata/managedFields'));
