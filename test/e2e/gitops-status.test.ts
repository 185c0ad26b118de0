import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { ensureGitopsStatus } from '../../scripts/e2e-go-tool.ts';
import { endingCodes, waitCodes } from '../../src/api/codes/codes.ts';
import type { KubeObject } from '../../src/api/kube-object.ts';
import { Verb } from '../../src/api/verb-request.ts';
import { attentionOf } from '../../src/controller/status/attention.ts';
import { kstatusConditions } from '../../src/controller/status/kstatus.ts';
import { endedBy } from '../fakes/ended-releases.ts';
import { kstatusOf } from '../fakes/kstatus.ts';
import { raw } from '../fakes/raw.ts';
import { snapshotIn } from '../fakes/stalled-release.ts';
import { waitingFor } from '../fakes/waiting-releases.ts';
import { aCanary, initialized, World } from '../fakes/world.ts';
import { aController } from '../scenarios/controller.ts';
import { anEnvironment, startRealEnvironment } from '../scenarios/environment.ts';
import { aDeployment, aCanary as aLiveCanary, canaryRef, makeNamespace, push } from '../scenarios/troubles/objects.ts';
import { until } from '../scenarios/until.ts';
import { runProgram } from './helm.ts';

const EXAMPLES = join(import.meta.dirname, '..', '..', 'examples');
const GOLDEN = join(import.meta.dirname, '..', 'golden', 'gitops.txt');

interface Question {
  op: 'kstatus' | 'flux' | 'script';
  object: object;
  script?: string;
  expressions?: object;
}

interface Answer {
  status?: string;
  returned?: Record<string, unknown>;
  error?: string;
}

let program: string;
beforeAll(async () => {
  program = await ensureGitopsStatus();
});

async function askAll(questions: readonly Question[]): Promise<Answer[]> {
  const { code, said, complained } = await runProgram(program, [], {}, questions.map((one) => JSON.stringify(one)).join('\n'));
  expect([code, complained]).toEqual([0, '']);
  return said
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
}

/** As a user copies them: the scripts in argocd-cm, and the expressions of the Kustomization. */
const configMap: Record<string, string> = parse(readFileSync(join(EXAMPLES, 'argocd', 'argocd-cm.yaml'), 'utf8')).data;
const healthScript = configMap['resource.customizations.health.flagger.app_Canary'] ?? '';
const actions: { 'discovery.lua': string; definitions: { name: string; 'action.lua': string }[] } = parse(
  configMap['resource.customizations.actions.flagger.app_Canary'] ?? '',
);
const [expressions] = parse(readFileSync(join(EXAMPLES, 'flux', 'kustomization.yaml'), 'utf8')).spec.healthCheckExprs;

/** The stored Canary of a world, with the conditions of kstatus. */
function storedIn(world: World): KubeObject {
  const { raw: object } = snapshotIn({ world });
  const { status } = raw(object);
  if (status === undefined) return object;
  const conditions = [...status.conditions, ...kstatusConditions(world.canary, status, world.facts())];
  return { ...object, status: { ...status, reason: attentionOf(status), conditions, observedGeneration: object.metadata.generation } };
}

function scenes(): Record<string, KubeObject> {
  const releasing = initialized(aCanary({ stepWeight: 50 }));
  releasing.pushUntil('s1:b', ({ step }) => step === 'analysing');
  const paused = initialized(aCanary({ stepWeight: 50 }));
  paused.pushUntil('s1:b', ({ step }) => step === 'analysing');
  paused.ask('pause', 'p');
  const edited = storedIn(initialized(aCanary({ stepWeight: 50 })));
  return {
    new: { ...aCanary({ stepWeight: 50 }) } as unknown as KubeObject,
    initializing: storedIn(new World().begin()),
    initialized: storedIn(initialized(aCanary({ stepWeight: 50 }))),
    progressing: storedIn(releasing),
    paused: storedIn(paused),
    edited: { ...edited, metadata: { ...edited.metadata, generation: (edited.metadata.generation ?? 0) + 1 } },
    deleted: { ...edited, metadata: { ...edited.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' } },
    ...Object.fromEntries(waitCodes.map((code) => [`waits: ${code}`, storedIn(waitingFor(code).world)])),
    ...Object.fromEntries(endingCodes.map((code) => [`ended: ${code}`, storedIn(endedBy(code).world)])),
  };
}

describe('what GitOps tools make of a Canary', () => {
  it('is known for each wait and each end: Argo CD by the script, Flux by the expressions, and kstatus by the conditions', async () => {
    const objects = Object.entries(scenes());
    const health = await askAll(objects.map(([, object]) => ({ op: 'script', object, script: healthScript })));
    const flux = await askAll(objects.map(([, object]) => ({ op: 'flux', object: withoutKstatus(object), expressions })));
    const kstatus = await askAll(objects.map(([, object]) => ({ op: 'kstatus', object })));
    const lines = objects.map(([scene, object], index) => {
      const { status, message } = (health[index]?.returned ?? {}) as { status?: string; message?: string };
      const phase = raw(object)?.status?.phase ?? '';
      return `${scene} (${phase}): Argo CD ${status}, Flux ${flux[index]?.status ?? 'error'}, kstatus ${kstatus[index]?.status}\n  ${message}`;
    });
    await expect(`${lines.join('\n')}\n`).toMatchFileSnapshot(GOLDEN);
    expect(health.filter(({ error }) => error !== undefined)).toEqual([]);
    const known = ['Healthy', 'Progressing', 'Degraded', 'Suspended'];
    expect(health.map(({ returned }) => returned?.status).filter((status) => !known.includes(String(status)))).toEqual([]);
    // The simulated verdicts of the unit tests are those of kstatus.
    expect(kstatus.map(({ status }) => status)).toEqual(objects.map(([, object]) => kstatusOf(object)));
  });

  it.each([
    {},
    { status: {} },
    { status: { phase: 'Progressing' } },
    { metadata: { name: 'x' }, spec: {}, status: { phase: 'Failed', conditions: [{}] } },
  ])('is known for a Canary with almost no field: %j', async (fields) => {
    const object = { apiVersion: 'flagger.app/v1beta1', kind: 'Canary', ...fields };
    const [answer, offered] = await askAll([
      { op: 'script', object, script: healthScript },
      { op: 'script', object, script: actions['discovery.lua'] },
    ]);
    expect([answer?.error, offered?.error]).toEqual([undefined, undefined]);
    expect(answer?.returned?.status).toMatch(/^(Progressing|Degraded)$/);
  });
});

/** As without the flag. */
function withoutKstatus(object: KubeObject): object {
  const { status } = raw(object);
  if (status === undefined) return object;
  const { observedGeneration: _, ...rest } = status;
  const conditions = rest.conditions.filter(({ type }: { type: string }) => !['Ready', 'Reconciling', 'Stalled'].includes(type));
  return { ...object, status: { ...rest, conditions } };
}

describe('the actions of Argo CD', () => {
  const environment = anEnvironment(() => startRealEnvironment());
  aController(environment);
  const NAMESPACE = 'actions';
  const ref = canaryRef(NAMESPACE, 'shop');
  const live = async (): Promise<KubeObject> => {
    const found = await environment().cluster.get(ref);
    if (found === undefined) throw new Error('no Canary');
    return { ...found, apiVersion: ref.apiVersion, kind: ref.kind };
  };
  const enabled = async (): Promise<string[]> => {
    const [answer] = await askAll([{ op: 'script', object: await live(), script: actions['discovery.lua'] }]);
    const found = answer?.returned as Record<string, { disabled: boolean; displayName: string }>;
    expect(Object.keys(found).toSorted()).toEqual(Verb.options.toSorted());
    return Object.keys(found)
      .filter((name) => found[name]?.disabled === false)
      .toSorted();
  };
  /** Argo CD writes the difference between the object and the script's answer. */
  const act = async (verb: string): Promise<void> => {
    const script = actions.definitions.find(({ name }) => name === verb)?.['action.lua'];
    const [answer] = await askAll([{ op: 'script', object: await live(), script: script ?? '' }]);
    expect(answer?.error).toBeUndefined();
    const { annotations } = raw(answer?.returned as unknown as KubeObject).metadata;
    await environment().cluster.patch(ref, { metadata: { annotations } });
  };
  const is = (what: string, isSo: (status: ReturnType<typeof raw>) => boolean) =>
    until(environment().cluster, ref, what, (now) => raw(now)?.status !== undefined && isSo(raw(now)?.status));

  it('do what the verbs do, and only possible ones are offered', async () => {
    const { cluster } = environment();
    await makeNamespace(cluster, NAMESPACE);
    await cluster.create(aDeployment(NAMESPACE, 'shop'));
    await cluster.create(aLiveCanary(NAMESPACE, 'shop', { stepWeight: 5, interval: '3s' }));
    await is('is initialized', ({ phase }) => phase === 'Initialized');
    expect(await enabled()).toEqual(['restart']);
    await push(cluster, NAMESPACE, 'shop', '2');
    await is('has weight', ({ canaryWeight }) => canaryWeight > 0);
    expect(await enabled()).toEqual(['pause', 'promote', 'rollback']);
    await act('pause');
    await is('is paused', ({ release }) => release.paused?.by === 'Argo CD');
    expect(await enabled()).toEqual(['promote', 'resume', 'rollback']);
    await act('resume');
    await is('goes on', ({ release }) => release.paused === undefined);
    await act('rollback');
    await is('has failed', ({ phase, release }) => phase === 'Failed' && release.step === 'resting');
    expect(await enabled()).toEqual(['restart', 'retry']);
    await act('retry');
    await is('has weight again', ({ phase, canaryWeight }) => phase === 'Progressing' && canaryWeight > 0);
    await act('promote');
    await is('is promoted', ({ phase, release }) => phase === 'Succeeded' && release.step === 'resting');
    expect(await enabled()).toEqual(['restart', 'undo']);
    await act('undo');
    await is('is releasing the earlier version', ({ phase }) => phase === 'Progressing');
  });
});
