import type { KubeObject } from '../../../src/api/kube-object.ts';
import { raw } from '../../fakes/raw.ts';
import type { Fault } from './fault.ts';

/** A kubelet's event on a pod. */
export interface PodEvent {
  type: 'Normal' | 'Warning';
  reason: string;
  message: string;
}

/** One moment of a pod that never becomes ready: what its kubelet writes, and how long it leaves it so. */
export interface Moment {
  phase: 'Pending' | 'Running';
  container: ContainerMoment;
  events: readonly PodEvent[];
  lastsMs: number;
}

interface ContainerMoment {
  state: object;
  lastState: object;
  started: boolean;
  restartCount: number;
  containerID?: string;
  imageID: string;
}

/** The kubelet's `MaxContainerBackOff` and first delay: 10 s, doubled to 300 s. */
const BACK_OFF_MS = { from: 10_000, to: 300_000 };
const PULL_MS = 800;
const RUN_MS = 300;
/** A period of the kubelet's probe manager; the status of a pod with a failing probe does not change. */
const PROBE_PERIOD_MS = 10_000;

/**
 * The statuses and events of a pod with this fault, in order and without end, as kubelet 1.36 writes them with containerd. Sources: `pkg/kubelet/images/image_manager.go`
 * (the back-off keeps the pull's error since 1.32), `kuberuntime_manager.go` (`doBackOff`), `kubelet_pods.go`, `status/generate.go`.
 */
export function* momentsOf(pod: KubeObject, fault: Fault): Generator<Moment> {
  if (fault.kind === 'pull') yield* pulling(fault);
  else if (fault.kind === 'config') yield* configuring(fault.error);
  else if (fault.kind === 'crash') yield* crashing(pod, fault);
  else yield* unready(pod, fault.error);
}

const unmade = (waiting: object): ContainerMoment => ({
  state: { waiting },
  lastState: {},
  started: false,
  restartCount: 0,
  imageID: '',
});

function* pulling({ image, error, missingSecrets }: Extract<Fault, { kind: 'pull' }>): Generator<Moment> {
  const refused = `rpc error: code = ${error.endsWith('not found') ? 'NotFound' : 'Unknown'} desc = ${error}`;
  const secrets: PodEvent[] =
    missingSecrets.length === 0
      ? []
      : [
          {
            type: 'Warning',
            reason: 'FailedToRetrieveImagePullSecret',
            message: `Unable to retrieve some image pull secrets (${missingSecrets.join(', ')}); attempting to pull the image may not succeed.`,
          },
        ];
  for (let backOffMs = BACK_OFF_MS.from; ; backOffMs = Math.min(2 * backOffMs, BACK_OFF_MS.to)) {
    yield {
      phase: 'Pending',
      container: unmade({ reason: 'ErrImagePull', message: refused }),
      events: [
        ...secrets,
        { type: 'Normal', reason: 'Pulling', message: `Pulling image "${image}"` },
        { type: 'Warning', reason: 'Failed', message: `Failed to pull image "${image}": ${refused}` },
        { type: 'Warning', reason: 'Failed', message: 'Error: ErrImagePull' },
      ],
      lastsMs: PULL_MS,
    };
    yield {
      phase: 'Pending',
      container: unmade({ reason: 'ImagePullBackOff', message: `Back-off pulling image "${image}": ErrImagePull: ${refused}` }),
      events: [
        { type: 'Normal', reason: 'BackOff', message: `Back-off pulling image "${image}"` },
        { type: 'Warning', reason: 'Failed', message: 'Error: ImagePullBackOff' },
      ],
      lastsMs: backOffMs,
    };
  }
}

function* configuring(error: string): Generator<Moment> {
  for (;;)
    yield {
      phase: 'Pending',
      container: unmade({ reason: 'CreateContainerConfigError', message: error }),
      events: [{ type: 'Warning', reason: 'Failed', message: `Error: ${error}` }],
      lastsMs: BACK_OFF_MS.from,
    };
}

function* crashing(pod: KubeObject, { exitCode, reason, lastWords }: Extract<Fault, { kind: 'crash' }>): Generator<Moment> {
  const { name, namespace, uid } = pod.metadata;
  const [container] = raw(pod).spec.containers;
  const imageID = imageIdOf(container.image);
  let backOffMs = 0;
  let lastState: object = {};
  for (let restartCount = 0; ; restartCount += 1) {
    const containerID = idOf(`${uid}-${restartCount}`);
    const startedAt = secondsNow();
    const same = { started: false, restartCount, containerID, imageID };
    yield {
      phase: 'Running',
      container: { ...same, state: { running: { startedAt } }, lastState },
      events: [
        { type: 'Normal', reason: 'Created', message: `Container created` },
        { type: 'Normal', reason: 'Started', message: `Container started` },
      ],
      lastsMs: RUN_MS,
    };
    const terminated = {
      ...{ exitCode, reason, startedAt, finishedAt: secondsNow(), containerID },
      ...(lastWords !== undefined && { message: lastWords }),
    };
    yield { phase: 'Running', container: { ...same, state: { terminated }, lastState }, events: [], lastsMs: RUN_MS };
    lastState = { terminated };
    if (backOffMs > 0) {
      const of = `container=${container.name} pod=${name}_${namespace}(${uid})`;
      yield {
        phase: 'Running',
        container: {
          ...same,
          state: { waiting: { reason: 'CrashLoopBackOff', message: `back-off ${inWords(backOffMs)} restarting failed ${of}` } },
          lastState,
        },
        events: [
          {
            type: 'Warning',
            reason: 'BackOff',
            message: `Back-off restarting failed container ${container.name} in pod ${name}_${namespace}(${uid})`,
          },
        ],
        lastsMs: backOffMs,
      };
    }
    backOffMs = Math.min(backOffMs === 0 ? BACK_OFF_MS.from : 2 * backOffMs, BACK_OFF_MS.to);
  }
}

function* unready(pod: KubeObject, error: string): Generator<Moment> {
  const startedAt = secondsNow();
  const imageID = imageIdOf(raw(pod).spec.containers[0].image);
  for (;;)
    yield {
      phase: 'Running',
      container: {
        ...{ state: { running: { startedAt } }, lastState: {}, started: true, restartCount: 0 },
        ...{ containerID: idOf(pod.metadata.uid ?? ''), imageID },
      },
      events: [{ type: 'Warning', reason: 'Unhealthy', message: error }],
      lastsMs: PROBE_PERIOD_MS,
    };
}

/** The whole status of the pod at a moment. The node has given the addresses and the time of the start. */
export function statusAt(pod: KubeObject, { phase, container }: Moment, nowText: string): object {
  const { conditions = [], hostIP, hostIPs, podIP, podIPs, startTime } = raw(pod).status ?? {};
  const [{ name, image }] = raw(pod).spec.containers;
  const unreadyNow = { status: 'False', reason: 'ContainersNotReady', message: `containers with unready status: [${name}]` };
  const condition = (type: string, now: object): object => {
    const before = conditions.find((one: { type: string }) => one.type === type);
    const { status } = raw(now);
    const lastTransitionTime = before?.status === status ? before.lastTransitionTime : nowText;
    return { type, lastProbeTime: null, lastTransitionTime, observedGeneration: pod.metadata.generation, ...now };
  };
  return {
    phase,
    conditions: [
      condition('PodReadyToStartContainers', { status: 'True' }),
      condition('Initialized', { status: 'True' }),
      condition('Ready', unreadyNow),
      condition('ContainersReady', unreadyNow),
      condition('PodScheduled', { status: 'True' }),
    ],
    ...{ hostIP, hostIPs, podIP, podIPs, startTime },
    containerStatuses: [{ name, image, ready: false, ...container }],
  };
}

const idOf = (text: string): string => `containerd://${Buffer.from(text).toString('hex').padEnd(64, '0').slice(0, 64)}`;
const imageIdOf = (image: string): string => {
  const [repository = ''] = image.split(':');
  return `${repository}@sha256:${Buffer.from(image).toString('hex').padEnd(64, '0').slice(0, 64)}`;
};
const secondsNow = (): string => new Date().toISOString().replace(/\.\d+Z$/, 'Z');
/** As Go prints a duration. */
const inWords = (ms: number): string => {
  const seconds = ms / 1000;
  return seconds < 60 ? `${seconds}s` : `${Math.floor(seconds / 60)}m${seconds % 60}s`;
};
