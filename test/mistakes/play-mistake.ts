import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Page } from 'playwright-core';
import { Why } from '../../src/reading/documents/canary-documents.ts';
import { raw } from '../fakes/raw.ts';
import type { DashboardFixture } from '../scenarios/dashboard-fixture.ts';
import { eventually } from '../scenarios/eventually.ts';
import { serin } from '../scenarios/serin.ts';
import { makeNamespace } from '../scenarios/troubles/objects.ts';
import { askedOf, followRemedy, type Reader } from './follow-remedy.ts';
import { APP, IMAGE, manifestsOf } from './manifests.ts';
import type { Manifests, Mistake, MistakeFixture, Played, Seconds, Surface } from './mistake.ts';
import { type Views, validated, watchSurfaces, withoutName, writeManifests } from './surfaces.ts';
import { canaryRef, deploymentRef } from './table/corrections.ts';

export interface Stage {
  fixture: MistakeFixture;
  reader: Reader;
  views: Omit<Views, 'page'>;
  dashboard: DashboardFixture;
  /** Manifests of all namespaces. */
  folder: string;
}

const LIVE: readonly Surface[] = ['get', 'describe', 'status', 'why', 'page'];
/** Longest look at a release that has no end of its own. */
const ENDLESS_MS = 25_000;
/** Longest look at a release that should end by itself: deadlines of the manifests are 20 s. */
const END_WITHIN_MS = 80_000;
/** Look at an ended release, whose alert is under way. */
const AFTER_END_MS = 12_000;
const RELEASED_WITHIN_MS = 75_000;

/** Makes one mistake, looks at every surface before and after the end of its release, follows the remedy that `serin why` prints, and waits for the promotion. */
export async function playMistake(mistake: Mistake, stage: Stage): Promise<Played> {
  const { fixture, reader, views, dashboard } = stage;
  const { id, what } = mistake;
  const namespace = id;
  const { cluster } = fixture.environment;
  const name = mistake.canary ?? APP;
  const phaseOf = async (canary = name): Promise<string> => raw(await cluster.get(canaryRef(namespace, canary)))?.status?.phase ?? '';

  await makeNamespace(cluster, namespace);
  const manifests = manifestsOf(namespace, fixture.alertUrl(namespace));
  mistake.arrives?.(manifests, fixture, namespace);
  if (mistake.hasUsers !== false) fixture.askFor(namespace);
  let fromMs = performance.now();
  await apply(stage, namespace, manifests);
  let page: Page | undefined;
  const open = async (): Promise<void> => {
    page = await dashboard.open(`/canaries/${namespace}/${name}`);
  };
  // A Canary that is pushed later has no page yet.
  let opening = mistake.canary === undefined ? open() : Promise.resolve();
  if (mistake.pushes) {
    await eventually(
      `${id}: the first version is initialized`,
      () => phaseOf(APP),
      (phase) => phase === 'Initialized',
    );
    await opening;
    mistake.pushes(manifests, fixture, namespace);
    fromMs = performance.now();
    await apply(stage, namespace, manifests);
    if (mistake.canary !== undefined) opening = open();
  }
  const file = join(stage.folder, namespace, 'application.yaml');
  const unnamed: Record<string, string> = {};
  const keep = (part: string, last: Record<string, string>) => {
    for (const [surface, text] of Object.entries(last)) unnamed[`${part}/${surface}`] = text;
  };
  const waiting: Seconds = {};
  const follower = followPhase(phaseOf, mistake.pushes !== undefined && !mistake.isEndless);
  try {
    const all: Views = { ...views, page: () => page };
    const validating = mistake.validates && validated(file, reader, mistake.validates === 'live');
    const isOver = (): boolean =>
      follower.endedMs() !== undefined || performance.now() - fromMs > (mistake.isEndless ? ENDLESS_MS : END_WITHIN_MS);
    // A list has no room for something harmless.
    const shown = mistake.isHarmless ? LIVE.filter((surface) => surface !== 'get') : LIVE;
    const surfaces: Surface[] = mistake.alertsWhileWaiting ? [...shown, 'alert'] : [...shown];
    const before = await watchSurfaces(mistake, namespace, all, surfaces, fromMs, isOver);
    Object.assign(waiting, before.seconds);
    keep('waiting', before.last);
    if (validating !== undefined) {
      const text = await validating;
      waiting.validate = mistake.names.test(withoutName(text, namespace)) ? 0 : null;
      if (waiting.validate === null) unnamed['waiting/validate'] = text;
    }
    if (!mistake.isEndless) while (!isOver()) await pause(250);

    const endedMs = follower.endedMs();
    let ended: Seconds | undefined;
    if (endedMs !== undefined) {
      await opening;
      const isLooked = () => performance.now() - endedMs > AFTER_END_MS;
      const due: Surface[] = mistake.isHarmless ? [...shown] : [...shown, 'alert'];
      const after = await watchSurfaces(mistake, namespace, all, due, endedMs, isLooked, /^(Failed|Succeeded) · /m);
      ended = after.seconds;
      keep('ended', after.last);
    }
    const remedy = await tryRemedy(mistake, stage, phaseOf);
    const seconds = endedMs === undefined ? undefined : Math.round((endedMs - fromMs) / 100) / 10;
    return { id, what, waiting, ...(ended && { ended }), ...(seconds !== undefined && { endedAfter: seconds }), remedy, unnamed };
  } finally {
    follower.stop();
    await opening;
    await (page as Page | undefined)?.context().close();
    await cluster.delete({ apiVersion: 'v1', kind: 'Namespace', name: namespace });
  }
}

/** Notes the moment of the end, beside all other work. */
function followPhase(phaseOf: () => Promise<string>, hasEnd: boolean): { endedMs(): number | undefined; stop(): void } {
  let endedMs: number | undefined;
  let isStopped = false;
  const follow = async () => {
    while (hasEnd && !isStopped && endedMs === undefined) {
      if (['Failed', 'Succeeded'].includes(await phaseOf())) endedMs = performance.now();
      else await pause(200);
    }
  };
  void follow();
  return {
    endedMs: () => endedMs,
    stop() {
      isStopped = true;
    },
  };
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** The result is `promoted`, or what happened instead. */
async function tryRemedy(mistake: Mistake, stage: Stage, phaseOf: (canary?: string) => Promise<string>): Promise<Played['remedy']> {
  const { fixture, reader } = stage;
  const { id: namespace, canary = APP } = mistake;
  const { said, complained } = await serin(reader.kubeconfigFile, 'why', canary, '-n', namespace, '-o', 'json');
  if (said === '') return { printed: complained, done: 'nothing', result: 'serin why prints no finding' };
  const { diagnosis, also } = Why.parse(JSON.parse(said));
  const printed = `${diagnosis.cause}: ${diagnosis.sentence} → ${askedOf(diagnosis)}`;
  const before = await phaseOf(APP);
  if (mistake.isHarmless && before === 'Succeeded') {
    const isSaid = mistake.remedies.some(({ says }) => [diagnosis, ...also].some((one) => says.test(askedOf(one))));
    return { printed, done: 'nothing', result: isSaid ? 'promoted' : 'promoted, and no remedy is printed' };
  }
  let done: string;
  try {
    done = await followRemedy(mistake, namespace, diagnosis, fixture, reader);
  } catch (error) {
    return { printed, done: 'failed', result: `the remedy cannot be carried out: ${String(error)}` };
  }
  if (done.startsWith('nothing')) return { printed, done, result: 'no remedy' };
  const hasRelease = mistake.pushes !== undefined && mistake.canary === undefined;
  const goal = hasRelease ? 'Succeeded' : 'Initialized';
  const reached = await phaseAfter(before, goal, phaseOf);
  if (reached !== goal) return { printed, done, result: reached };
  if (hasRelease) return { printed, done, result: 'promoted' };
  // The Canary of a first day has its first release now.
  await fixture.environment.cluster.patch(deploymentRef(namespace), {
    spec: { template: { spec: { containers: [{ ...container(namespace), image: `${IMAGE}:3.0.0` }] } } },
  });
  const released = await phaseAfter('Initialized', 'Succeeded', phaseOf);
  return { printed, done, result: released === 'Succeeded' ? 'promoted' : released };

  function container(of: string): object {
    return raw(manifestsOf(of, '').deployment).spec.template.spec.containers[0];
  }
}

/** The goal, once it is reached; otherwise where the release is instead. */
async function phaseAfter(before: string, goal: string, phaseOf: (canary?: string) => Promise<string>): Promise<string> {
  const fromMs = performance.now();
  let hasMoved = before !== 'Failed' && before !== goal;
  for (;;) {
    const phase = await phaseOf(APP);
    hasMoved ||= phase !== before;
    if (phase === goal && (hasMoved || goal === 'Initialized')) return goal;
    if (hasMoved && phase === 'Failed') return 'the release failed again';
    if (performance.now() - fromMs > RELEASED_WITHIN_MS) return hasMoved ? `still ${phase}` : `nothing started: still ${phase}`;
    await pause(300);
  }
}

async function apply({ reader, folder }: Stage, namespace: string, manifests: Manifests): Promise<void> {
  const file = writeManifests(join(folder, namespace), manifests);
  await promisify(execFile)(reader.kubectl, ['--kubeconfig', reader.kubeconfigFile, 'apply', '--filename', file]);
}
