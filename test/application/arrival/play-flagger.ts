import { type KubeObject, refOf } from '../../../src/api/kube-object.ts';
import { NAMESPACE } from '../../fakes/model/lab.ts';
import { raw } from '../../fakes/raw.ts';
import { eventually } from '../../scenarios/eventually.ts';
import { sleep } from '../../scenarios/world.ts';
import { fingerprint } from './fingerprint.ts';
import { type FlaggerPlane, ofMesh } from './flagger-plane.ts';
import { isRequired } from './kinds-of-loss.ts';
import { Losses } from './losses.ts';
import { type Arriving, applicationOf, type Outcome, stepsOf } from './play.ts';

/** Flagger looks at a Canary each 10 s, which is the least, and needs about six looks for a release. */
const MOST_MS = { initialize: 300_000, release: 400_000 };
const LOOK_AGAIN_MS = 500;
/** Until what was written is in all watches. */
const QUIET_MS = 5_000;

/**
 * An application under Flagger, from before its Canary until after a promotion, judged as `play` judges it. It is easier than what Serin is held
 * against: no restart, no failed release, no deletion, and what is seen as the Canary arrives does not count.
 */
export async function playFlagger(plane: FlaggerPlane, namespace: string, { objects, canary, name }: Arriving): Promise<Outcome> {
  const { cluster } = plane;
  const create = (object: KubeObject) => cluster.apply(object, { fieldManager: 'user' });
  const own = objects.map((object) => movedTo(namespace, object));
  const app = applicationOf(canary, namespace);
  await cluster.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
  for (const object of own) {
    if (object.metadata.namespace !== namespace)
      await create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: object.metadata.namespace ?? '' } });
    await create(object);
  }
  const deployments = own.filter(({ kind }) => kind === 'Deployment').map(({ metadata }) => metadata.name);
  const isAvailable = (deployment: string) => (raw(plane.find('Deployment', namespace, deployment))?.status?.availableReplicas ?? 0) > 1;
  await eventually(`the Deployments of ${name} are available`, () => deployments.every(isAvailable));
  await sleep(QUIET_MS);
  const losses = new Losses(fingerprint(plane.objects(namespace), app), own);

  const status = () => raw(plane.find('Canary', namespace, canary.metadata.name))?.status ?? {};
  const isAt = (phase: string) => status().phase === phase && raw(plane.find('Deployment', namespace, app.target))?.spec.replicas === 0;
  const isReleasing = () => status().phase === 'Progressing' && (status().canaryWeight > 0 || status().iterations > 0);
  const look = (moment: string, isMeant: Parameters<Losses['look']>[2]['isMeant'] = () => true): void =>
    losses.look(moment, fingerprint(plane.objects(namespace), app), { isReleasing: isReleasing(), isMeant });
  const wait = async (phase: string, mostMs: number): Promise<boolean> => {
    for (const deadlineMs = performance.now() + mostMs; !isAt(phase); await sleep(LOOK_AGAIN_MS)) {
      if (isReleasing()) look('during a good release', ({ kind }) => isRequired(kind));
      if (performance.now() < deadlineMs) continue;
      losses.add('stuck', 'whether it goes on', 'it does', `${status().phase}, and not ${phase}: ${said(plane, namespace)}`);
      return false;
    }
    await sleep(QUIET_MS);
    return true;
  };

  const moved = raw(movedTo(namespace, canary));
  const analysis = { interval: '10s', threshold: 1, ...stepsOf(canary) };
  // Machines have other things to do: no wait is to end in a rollback.
  await create({ ...moved, spec: { ...moved.spec, progressDeadlineSeconds: 300, analysis } });
  if (await wait('Initialized', MOST_MS.initialize)) {
    look('initialized');
    await push(plane, namespace, app.target);
    if (await wait('Succeeded', MOST_MS.release)) look('after a promotion');
  }
  const found = losses.found(said(plane, namespace));
  await cluster.delete(refOf(moved as KubeObject));
  await cluster.delete({ apiVersion: 'v1', kind: 'Namespace', name: namespace });
  return { is: 'arrived', losses: found };
}

function movedTo(namespace: string, object: KubeObject): KubeObject {
  const isOwn = (object.metadata.namespace ?? NAMESPACE) === NAMESPACE;
  const { metadata, ...rest }: KubeObject = JSON.parse(JSON.stringify(object).replaceAll(`.${NAMESPACE}.svc`, `.${namespace}.svc`));
  return { ...rest, metadata: isOwn ? { ...metadata, namespace } : { ...metadata, name: ofMesh(metadata.name, namespace) } };
}

async function push({ cluster }: FlaggerPlane, namespace: string, name: string): Promise<void> {
  const ref = { apiVersion: 'apps/v1', kind: 'Deployment', name, namespace };
  const [first, ...others] = raw(await cluster.get(ref)).spec.template.spec.containers;
  await cluster.patch(ref, { spec: { template: { spec: { containers: [{ ...first, image: 'good-2' }, ...others] } } } });
}

/** Conditions and events. */
function said(plane: FlaggerPlane, namespace: string): string {
  const all = plane.objects(namespace);
  const events = all.filter(({ kind }) => kind === 'Event').map((event) => String(raw(event).message ?? ''));
  const conditions = all.filter(({ kind }) => kind === 'Canary').flatMap((one) => raw(one).status?.conditions ?? []);
  return [...conditions.map(({ message }) => String(message)), ...events].join('\n');
}
