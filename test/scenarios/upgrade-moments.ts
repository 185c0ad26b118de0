import { requestAnnotation } from '../../src/api/names.ts';
import { writeRequest } from '../../src/api/verb-request.ts';
import { raw } from '../fakes/raw.ts';
import { App } from './adversity/app.ts';
import { Lab } from './adversity/lab.ts';
import type { Environment } from './environment.ts';
import { world } from './world.ts';

/** A gate that stays closed: no program listens there. */
const CLOSED = 'http://127.0.0.1:9/';

/** Longer than the interval of the analysis. */
const SETTLED_MS = 3_000;

/** A moment of a release in which another version of Serin takes its place. */
export interface Moment {
  /** As docs/install.md names it. */
  when: string;
  /** `phase/step` as the older version stores it: a pattern of all names that the step has had. */
  at: string;
  /** Default: a good version is released. `edited`: with an edit of a config in the analysis. */
  release?: 'bad' | 'edited' | 'none';
  gate?: 'confirm-rollout' | 'confirm-promotion';
  /** A user has paused the release there. */
  isPaused?: true;
}

export const MOMENTS: readonly Moment[] = [
  { when: 'initializing: the primary is made', at: 'Initializing/creatingPrimary', release: 'none' },
  { when: 'initializing: the primary takes the traffic', at: 'Initializing/(settling|takingTraffic|draining)', release: 'none' },
  { when: 'idle, nothing was released', at: 'Initialized/resting', release: 'none' },
  { when: 'waiting for confirm-rollout', at: 'Waiting/.*', gate: 'confirm-rollout' },
  { when: 'the canary starts', at: 'Progressing/scalingUp' },
  { when: 'a weight is written', at: 'Progressing/settling' },
  { when: 'progressing at a weight', at: 'Progressing/analysing' },
  { when: 'paused at a weight', at: 'Progressing/analysing', isPaused: true },
  { when: 'the traffic leaves a canary that was edited', at: 'Progressing/(withdrawing|recycleRouting)', release: 'edited' },
  { when: 'an edited canary loses its last requests', at: 'Progressing/(clearing|recycleDraining)', release: 'edited' },
  { when: 'the pods of an edited canary stop', at: 'Progressing/(emptying|recycleStopping)', release: 'edited' },
  { when: 'waiting for confirm-promotion', at: 'WaitingPromotion/analysing', gate: 'confirm-promotion' },
  { when: 'promoting: the primary is written', at: 'Promoting/writingPrimary' },
  { when: 'promoting: the primary starts', at: 'Promoting/awaitingPrimary' },
  { when: 'finalising: the traffic returns', at: 'Finalising/returningTraffic' },
  { when: 'finalising: the canary stops', at: 'Finalising/draining' },
  { when: 'idle, promoted', at: 'Succeeded/resting' },
  { when: 'rolling back: the traffic returns', at: 'Failed/returningTraffic', release: 'bad' },
  { when: 'rolling back: the canary stops', at: 'Failed/draining', release: 'bad' },
  { when: 'idle, failed', at: 'Failed/resting', release: 'bad' },
];

export const isIdle = ({ at }: Moment): boolean => at.endsWith('/resting');
export const isHeld = ({ gate, isPaused }: Moment): boolean => gate !== undefined || isPaused === true;

export const stepOf = (canary: unknown): string => {
  const { phase, release } = raw(canary as never)?.status ?? {};
  return `${phase}/${release?.step}`;
};

/** An application whose release an older version has begun, and the version that it has. */
export interface Begun {
  lab: Lab;
  app: App;
  /** The run of the release. */
  run: number;
  /** Deploys the next version, and returns the run before it. */
  deploy(isBad?: boolean): Promise<{ run: number; version: string }>;
  /** Each weight that the Canary has had, without repetition. */
  weights: readonly number[];
  /** Opens the gate, or resumes. */
  release(): Promise<void>;
}

/** Starts `main` over a new application, and lets it come to the moment. `beforeRelease` is called when the users' Service answers. */
export async function atMoment(
  environment: Environment,
  { moment, namespace, main }: { moment: Moment; namespace: string; main: string },
  beforeRelease: (app: App) => void,
): Promise<Begun> {
  const lab = await Lab.open(environment, { namespace, scaleDownDelay: '2s', interval: '1s' });
  const app = new App(lab, 'podinfo');
  // Pods that have read a config are recycled where it is edited during the analysis.
  const config = { name: 'settings', namespace };
  await lab.cluster.create({ apiVersion: 'v1', kind: 'ConfigMap', metadata: config, data: { COLOR: 'blue' } });
  const reads = { volumes: [{ name: 'settings', configMap: { name: config.name } }] };
  await app.create(moment.release === 'edited' ? reads : {});
  beforeRelease(app);
  const gates = moment.gate === undefined ? {} : { webhooks: [{ name: 'gate', type: moment.gate, url: CLOSED }] };
  const analysis = {
    ...{ interval: '1s', threshold: 3, stepWeight: 25, maxWeight: 75, unmeasured: 'hold' },
    metrics: [{ name: 'request-success-rate', interval: '3s', thresholdRange: { min: 90 } }],
  };
  const weights = weightsOf(lab);
  lab.startController(main);
  const idle = moment.release === 'none' ? undefined : lab.until(app.canary, 'is idle', (now) => stepOf(now) === 'Initialized/resting');
  await app.createCanary('istio', { ...analysis, ...gates });
  await idle;
  let version = 1;
  const deploy = async (isBad = false) => {
    const run = await app.run();
    version += 1;
    await app.deploy(String(version), isBad ? { ERROR_RATE: '1' } : {});
    return { run, version: String(version) };
  };
  if (moment.release !== 'none') await deploy(moment.release === 'bad');
  if (moment.release === 'edited') {
    await lab.until(app.canary, 'is analysed', (now) => stepOf(now) === 'Progressing/analysing');
    await lab.cluster.patch({ apiVersion: 'v1', kind: 'ConfigMap', ...config }, { data: { COLOR: 'red' } });
  }
  const meets = new RegExp(`^${moment.at}$`);
  await lab.until(app.canary, `is ${moment.at}`, (now) => meets.test(stepOf(now)));
  const ask = async (verb: 'pause' | 'resume'): Promise<void> => {
    const request = writeRequest({ verb, id: `${verb}-once`, atMs: world().clock.nowMs(), by: 'ann@example.org' });
    await lab.cluster.patch(app.canary, { metadata: { annotations: { [requestAnnotation]: request } } });
    const isPaused = verb === 'pause';
    await lab.until(app.canary, verb, (now) => (raw(now)?.status?.release?.paused !== undefined) === isPaused);
  };
  if (moment.isPaused) await ask('pause');
  // The last writes of a release come after its last step.
  if (isIdle(moment)) await lab.settled(SETTLED_MS);
  return {
    lab,
    app,
    // A release begins its run when confirm-rollout has let it in.
    run: (await app.run()) + (moment.gate === 'confirm-rollout' ? 1 : 0),
    deploy,
    weights,
    async release() {
      if (moment.gate !== undefined) await lab.cluster.patch(app.canary, { spec: { analysis: { webhooks: null } } });
      if (moment.isPaused) await ask('resume');
    },
  };
}

/** Watches them as long as the environment runs. */
function weightsOf(lab: Lab): readonly number[] {
  const weights: number[] = [];
  lab.cluster.watch(
    { apiVersion: 'flagger.app/v1beta1', kind: 'Canary', namespace: lab.namespace },
    {
      onList: () => undefined,
      onEvent({ object }) {
        const weight = raw(object)?.status?.canaryWeight ?? 0;
        if (weight !== weights.at(-1)) weights.push(weight);
      },
    },
  );
  return weights;
}
