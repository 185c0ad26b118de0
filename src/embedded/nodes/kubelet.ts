import { sleep } from '../../api/clock.ts';
import type { Pod } from '../../api/kinds/pod.ts';
import type { Probe } from '../../api/kinds/pod-template.ts';
import { refOf } from '../../api/kube-object.ts';
import type { Cluster } from '../../kube/cluster.ts';
import { callHttp } from '../http-call.ts';
import { secondsText, type World } from '../world.ts';
import { type App, startApp } from './app.ts';
import { type AppBehaviour, behaviourOf } from './behaviour.ts';
import type { PodCalls } from './pod-calls.ts';
import { type ContainerSeen, podStatus } from './pod-status.ts';

/** Carries the real port of a pod's application; the pod's IP is made up, as API servers refuse loopback in EndpointSlices. */
export const PORT_ANNOTATION = 'serin.dev/loopback-port';
const CRASH_BACKOFF_MS = 1000;
const FIRST_RETRY_MS = 20;
const LAST_RETRY_MS = 1000;
/** Kubernetes' default. */
const PROBE_TIMEOUT_MS = 1000;
/** How often an application without a probe is looked at: one that is ready seldom turns. */
const STEADY_MS = 1000;
const UNSTEADY_MS = 50;

export interface KubeletOptions {
  startupMs: number;
  graceScale: number;
  probeScale: number;
  world: World;
  appFor?: (pod: Pod) => Partial<AppBehaviour>;
  /** Default: a small HTTP server. */
  runApp?: typeof startApp;
  onError(error: unknown, what: string): void;
}

/** The life of one pod on its node, from binding to its last answer. */
export interface RunningPod {
  readonly app: () => App | undefined;
  /** Takes a newer state of the pod; a deletionTimestamp is SIGTERM. */
  update(pod: Pod): void;
  /** The pod is gone from the API server, or the node stops: the process ends now. */
  kill(): Promise<void>;
}

export function runPod(
  cluster: Cluster,
  calls: PodCalls,
  first: Pod,
  address: { podIP: string; hostIP: string },
  options: KubeletOptions,
): RunningPod {
  const { clock } = options.world;
  const nowText = (): string => secondsText(options.world);
  const probeAgent = options.world.network.agent();
  /** Ends early, without an error, when the pod does. */
  const pause = (ms: number, signal: AbortSignal): Promise<void> => sleep(clock, ms, signal).catch(() => undefined);
  let pod = first;
  let app: App | undefined;
  let isTerminating = false;
  let writes: Promise<void> = Promise.resolve();
  const life = new AbortController();
  const seen: ContainerSeen = { state: 'starting', isReady: false, restarts: 0, startedAt: nowText(), ...address };
  const what = `${pod.metadata.namespace}/${pod.metadata.name}`;

  /** Until it is done or the pod is over: a request that gets no answer must not leave a pod unready or terminating for ever. */
  const insist = async (request: () => Promise<unknown>): Promise<void> => {
    for (let pauseMs = FIRST_RETRY_MS; !life.signal.aborted; pauseMs = Math.min(pauseMs * 2, LAST_RETRY_MS)) {
      try {
        await request();
        return;
      } catch (error) {
        if (life.signal.aborted) return;
        options.onError(error, what);
        await pause(pauseMs, life.signal);
      }
    }
  };

  /** One write at a time, each of the newest state. */
  const reportStatus = (): Promise<void> => {
    const { signal } = life;
    writes = writes.then(() =>
      insist(() => cluster.patch(refOf(pod), { status: podStatus(pod, seen, nowText()) }, { subresource: 'status', signal })),
    );
    return writes;
  };

  const live = async (): Promise<void> => {
    await pause(options.startupMs, life.signal);
    const behaviour = { ...behaviourOf(pod), ...options.appFor?.(pod) };
    if (behaviour.waitsFor !== '') {
      seen.waitsFor = behaviour.waitsFor;
      await reportStatus();
      return;
    }
    if (behaviour.outOfMemory) seen.endsBy = 'OOMKilled';
    while (behaviour.crashes && !life.signal.aborted && !isTerminating) {
      seen.state = 'crashed';
      seen.restarts += 1;
      await reportStatus();
      await pause(CRASH_BACKOFF_MS * Math.min(8, seen.restarts), life.signal);
    }
    if (life.signal.aborted || isTerminating) return;
    const probe = pod.spec.containers?.[0]?.readinessProbe;
    const started = await (options.runApp ?? startApp)(behaviour, {
      namespace: pod.metadata.namespace ?? '',
      pod: pod.metadata.name,
      readinessPath: probe?.httpGet?.path ?? '/readyz',
      world: options.world,
    });
    if (life.signal.aborted) {
      await started.close(true);
      return;
    }
    app = started;
    seen.state = 'running';
    seen.startedAt = nowText();
    const annotations = { [PORT_ANNOTATION]: String(started.port) };
    if (started.port > 0) await insist(() => cluster.patch(refOf(pod), { metadata: { annotations } }, { signal: life.signal }));
    await watchReadiness(started, probe);
  };

  const watchReadiness = async (started: App, probe: Probe | undefined): Promise<void> => {
    // Without a probe a container is ready as soon as it runs; the app's own delay then stands for its start.
    const periodMs = Math.max(20, Number(probe?.periodSeconds ?? 10) * 1000 * options.probeScale);
    if (probe?.initialDelaySeconds) await pause(probe.initialDelaySeconds * 1000 * options.probeScale, life.signal);
    let streak = 0;
    let isReported = false;
    while (!life.signal.aborted) {
      const isPassing = started.probe
        ? started.probe()
        : probe?.httpGet
          ? await answersProbe(started.port, probe.httpGet.path ?? '/')
          : started.isReady();
      const needed = isPassing ? (probe?.successThreshold ?? 1) : (probe?.failureThreshold ?? 3);
      streak = isPassing === seen.isReady ? 0 : streak + 1;
      const isTurning = streak >= needed || (!probe && streak > 0);
      if (isTurning) {
        seen.isReady = isPassing;
        streak = 0;
      }
      if (isTurning || !isReported || isStale(pod, seen, nowText())) await reportStatus();
      isReported = true;
      const isSettled = isPassing === seen.isReady && (probe !== undefined || started.probe !== undefined);
      const isSteady = seen.isReady && isPassing && !pod.spec.readinessGates;
      await pause(isSettled ? periodMs : Math.min(periodMs, started.probe || isSteady ? STEADY_MS : UNSTEADY_MS), life.signal);
    }
  };

  const answersProbe = async (port: number, path: string): Promise<boolean> => {
    try {
      const headers = { 'user-agent': 'kube-probe/serin', connection: 'close' };
      const call = { headers, agent: probeAgent, clock, timeoutMs: PROBE_TIMEOUT_MS };
      const { status } = await callHttp(`http://127.0.0.1:${port}${path}`, call);
      return status >= 200 && status < 300;
    } catch {
      // Refused or timed out: that is the probe's answer.
      return false;
    }
  };

  const terminate = async (): Promise<void> => {
    const graceMs = Number(pod.metadata.deletionGracePeriodSeconds ?? pod.spec.terminationGracePeriodSeconds ?? 30) * 1000;
    if (app?.behaviour.exitsOnSigterm) await app.close();
    else {
      // Keeps serving: proxies that do not know yet still send requests.
      await pause(graceMs * options.graceScale, life.signal);
      const deadlineMs = clock.monotonicMs() + graceMs * (1 - options.graceScale);
      while (app && app.inFlight() > 0 && clock.monotonicMs() < deadlineMs && !life.signal.aborted) await pause(20, life.signal);
      await app?.close(true);
    }
    await insist(() => calls.forceDelete(pod));
  };

  const guarded = (work: Promise<void>): Promise<void> =>
    work.catch((error: unknown) => {
      if (!life.signal.aborted) options.onError(error, what);
    });
  const terminateOnce = (): void => {
    if (isTerminating || pod.metadata.deletionTimestamp === undefined) return;
    isTerminating = true;
    void guarded(terminate());
  };
  terminateOnce();
  if (!isTerminating) void guarded(live());

  return {
    app: () => app,
    update(next) {
      pod = next;
      terminateOnce();
    },
    async kill() {
      life.abort();
      await app?.close(true);
    },
  };
}

/** A readiness gate was opened or closed since the kubelet last wrote the status. */
function isStale(pod: Pod, seen: ContainerSeen, nowText: string): boolean {
  if (!pod.spec.readinessGates) return false;
  const readyIn = (status: Pod['status']) => status?.conditions?.find(({ type }) => type === 'Ready')?.status;
  return readyIn(pod.status) !== undefined && readyIn(pod.status) !== readyIn(podStatus(pod, seen, nowText));
}
