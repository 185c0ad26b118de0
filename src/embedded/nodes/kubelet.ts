import type { Pod } from '../../api/kinds/pod.ts';
import type { Probe } from '../../api/kinds/pod-template.ts';
import { refOf } from '../../api/kube-object.ts';
import { sleep } from '../../base/clock.ts';
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
/** Delays of a container that ended after it had run: none before its first restart, then doubled. Source: kubelet MaxContainerBackOff, backOffPeriod. */
const RESTART_BACKOFF_MS = { from: 10_000, to: 300_000 };
/** After a run of this length the back-off begins again. */
const BACKOFF_FORGOTTEN_MS = 600_000;
const FIRST_RETRY_MS = 20;
const LAST_RETRY_MS = 1000;
/** Kubernetes' default. */
const PROBE_TIMEOUT_MS = 1000;
/** Interval for the checks of an application without a probe: a ready application seldom changes. */
const STEADY_MS = 1000;
const UNSTEADY_MS = 50;

export interface KubeletOptions {
  /** From binding to the container's start; default 20. */
  startupMs: number;
  /** Part of the grace period during which a terminating app serves on, 0–1; default 0.1 (3 s of the usual 30 s). */
  graceScale: number;
  /** Multiplies probe periods and delays; default 0.1. */
  probeScale: number;
  world: World;
  /** Overrides what env and annotations of the pod say. */
  appFor?: (pod: Pod) => Partial<AppBehaviour>;
  /** Default: a small HTTP server. */
  runApp?: typeof startApp;
  onError: (error: unknown, what: string) => void;
}

/** The life of one pod on its node, from binding to its last answer. */
export class RunningPod {
  readonly #cluster: Cluster;
  readonly #calls: PodCalls;
  readonly #options: KubeletOptions;
  readonly #clock: World['clock'];
  readonly #probeAgent: ReturnType<World['network']['agent']>;
  readonly #seen: ContainerSeen;
  readonly #what: string;
  readonly #life = new AbortController();
  #pod: Pod;
  #app: App | undefined;
  /** Ends the container that runs now. */
  #end = new AbortController();
  #isTerminating = false;
  #writes: Promise<void> = Promise.resolve();

  /** `first`: the pod when it was bound. Failures go to `options.onError`. */
  constructor(cluster: Cluster, calls: PodCalls, first: Pod, address: { podIP: string; hostIP: string }, options: KubeletOptions) {
    this.#cluster = cluster;
    this.#calls = calls;
    this.#options = options;
    this.#clock = options.world.clock;
    this.#probeAgent = options.world.network.agent();
    this.#pod = first;
    this.#seen = { state: 'starting', endsBy: 'Error', isReady: false, restarts: 0, startedAt: this.#nowText(), ...address };
    this.#what = `${first.metadata.namespace}/${first.metadata.name}`;
    this.#terminateOnce();
    if (!this.#isTerminating) void this.#guarded(this.#live());
  }

  app(): App | undefined {
    return this.#app;
  }

  /** Takes a newer state of the pod; a deletionTimestamp is SIGTERM. */
  update(next: Pod): void {
    this.#pod = next;
    this.#terminateOnce();
  }

  /** The pod is gone from the API server, or the node stops: the process ends now. */
  async kill(): Promise<void> {
    this.#life.abort();
    await this.#app?.close(true);
  }

  /** Ends the container that runs now as if by itself: 137 is out of memory. Says whether one ran. */
  crash(exitCode: number): boolean {
    if (this.#app === undefined || this.#seen.state !== 'running' || this.#isTerminating) return false;
    this.#app.behaviour.exitCode = exitCode;
    this.#end.abort();
    return true;
  }

  #nowText(): string {
    return secondsText(this.#options.world);
  }

  /** Ends early, without an error, when the pod does. */
  #pause(ms: number, signal: AbortSignal): Promise<void> {
    return sleep(this.#clock, ms, signal).catch(() => undefined);
  }

  /** Until it is done or the pod is over: a request that gets no answer must not leave a pod unready or terminating for ever. */
  async #insist(request: () => Promise<unknown>): Promise<void> {
    for (let pauseMs = FIRST_RETRY_MS; !this.#life.signal.aborted; pauseMs = Math.min(pauseMs * 2, LAST_RETRY_MS)) {
      try {
        await request();
        return;
      } catch (error) {
        if (this.#life.signal.aborted) return;
        this.#options.onError(error, this.#what);
        await this.#pause(pauseMs, this.#life.signal);
      }
    }
  }

  /** One write at a time, each of the newest state. */
  #reportStatus(): Promise<void> {
    const { signal } = this.#life;
    const write = (): Promise<unknown> => {
      const status = podStatus(this.#pod, this.#seen, this.#nowText());
      return this.#cluster.patch(refOf(this.#pod), { status }, { subresource: 'status', signal });
    };
    this.#writes = this.#writes.then(() => this.#insist(write));
    return this.#writes;
  }

  async #live(): Promise<void> {
    await this.#pause(this.#options.startupMs, this.#life.signal);
    const behaviour = { ...behaviourOf(this.#pod), ...this.#options.appFor?.(this.#pod) };
    if (behaviour.waitsFor !== '') {
      this.#seen.waitsFor = behaviour.waitsFor;
      await this.#reportStatus();
      return;
    }
    if (behaviour.outOfMemory) this.#seen.endsBy = 'OOMKilled';
    while (behaviour.crashes && !this.#life.signal.aborted && !this.#isTerminating) {
      this.#seen.state = 'crashed';
      this.#seen.restarts += 1;
      await this.#reportStatus();
      await this.#pause(CRASH_BACKOFF_MS * Math.min(8, this.#seen.restarts), this.#life.signal);
    }
    let backOffMs = 0;
    while (!this.#life.signal.aborted && !this.#isTerminating) {
      const fromMs = this.#clock.monotonicMs();
      await this.#run(behaviour);
      if (this.#life.signal.aborted || this.#isTerminating) return;
      if (this.#clock.monotonicMs() - fromMs >= BACKOFF_FORGOTTEN_MS) backOffMs = 0;
      await this.#restart(backOffMs);
      backOffMs = Math.min(RESTART_BACKOFF_MS.to, backOffMs === 0 ? RESTART_BACKOFF_MS.from : 2 * backOffMs);
    }
  }

  /** One run of the container, from its start until it ends by itself or the pod does. */
  async #run(behaviour: AppBehaviour): Promise<void> {
    const probe = this.#pod.spec.containers?.[0]?.readinessProbe;
    const [containerPort, ...otherPorts] = (this.#pod.spec.containers ?? [])
      .flatMap(({ ports = [] }) => ports)
      .map((port) => port.containerPort);
    const started = await (this.#options.runApp ?? startApp)(behaviour, {
      namespace: this.#pod.metadata.namespace ?? '',
      pod: this.#pod.metadata.name,
      readinessPath: probe?.httpGet?.path ?? '/readyz',
      world: this.#options.world,
      podIP: this.#seen.podIP,
      containerPort,
      otherPorts,
    });
    if (this.#life.signal.aborted) {
      await started.close(true);
      return;
    }
    this.#app = started;
    this.#seen.state = 'running';
    this.#seen.startedAt = this.#nowText();
    const annotations = { [PORT_ANNOTATION]: String(started.port) };
    if (started.port > 0)
      await this.#insist(() => this.#cluster.patch(refOf(this.#pod), { metadata: { annotations } }, { signal: this.#life.signal }));
    const end = new AbortController();
    this.#end = end;
    const cancel = behaviour.crashesAfterMs > 0 ? this.#clock.setTimer(behaviour.crashesAfterMs, () => end.abort()) : undefined;
    await this.#watchReadiness(started, probe, AbortSignal.any([this.#life.signal, end.signal]));
    cancel?.();
    if (this.#life.signal.aborted || this.#isTerminating) return;
    await started.close(true);
    const { exitCode } = behaviour;
    const endsBy = exitCode === 137 ? 'OOMKilled' : 'Error';
    Object.assign(this.#seen, { state: 'ended', isReady: false, exitCode, endsBy, finishedAt: this.#nowText() });
    await this.#reportStatus();
  }

  async #restart(backOffMs: number): Promise<void> {
    if (backOffMs > 0) {
      this.#seen.state = 'crashed';
      await this.#reportStatus();
    }
    await this.#pause(backOffMs + this.#options.startupMs, this.#life.signal);
    this.#seen.restarts += 1;
  }

  async #watchReadiness(started: App, probe: Probe | undefined, signal: AbortSignal): Promise<void> {
    // Without a probe a container is ready as soon as it runs; the app's own delay then models its start.
    const periodMs = Math.max(20, Number(probe?.periodSeconds ?? 10) * 1000 * this.#options.probeScale);
    if (probe?.initialDelaySeconds) await this.#pause(probe.initialDelaySeconds * 1000 * this.#options.probeScale, signal);
    let streak = 0;
    let isReported = false;
    while (!signal.aborted) {
      const isPassing = started.probe
        ? started.probe()
        : probe?.httpGet
          ? await this.#answersProbe(started, probe.httpGet.path ?? '/')
          : started.isReady();
      if (signal.aborted) return;
      const needed = isPassing ? (probe?.successThreshold ?? 1) : (probe?.failureThreshold ?? 3);
      streak = isPassing === this.#seen.isReady ? 0 : streak + 1;
      const isTurning = streak >= needed || (!probe && streak > 0);
      if (isTurning) {
        this.#seen.isReady = isPassing;
        streak = 0;
      }
      if (isTurning || !isReported || isStale(this.#pod, this.#seen, this.#nowText())) await this.#reportStatus();
      isReported = true;
      const isSettled = isPassing === this.#seen.isReady && (probe !== undefined || started.probe !== undefined);
      const isSteady = this.#seen.isReady && isPassing && !this.#pod.spec.readinessGates;
      await this.#pause(isSettled ? periodMs : Math.min(periodMs, started.probe || isSteady ? STEADY_MS : UNSTEADY_MS), signal);
    }
  }

  async #answersProbe({ host = '127.0.0.1', port }: App, path: string): Promise<boolean> {
    try {
      const headers = { 'user-agent': 'kube-probe/serin', connection: 'close' };
      const call = { headers, agent: this.#probeAgent, clock: this.#clock, timeoutMs: PROBE_TIMEOUT_MS };
      const { status } = await callHttp(`http://${host}:${port}${path}`, call);
      return status >= 200 && status < 300;
    } catch {
      // Refused or timed out: that is the probe's answer.
      return false;
    }
  }

  async #terminate(): Promise<void> {
    const graceMs = Number(this.#pod.metadata.deletionGracePeriodSeconds ?? this.#pod.spec.terminationGracePeriodSeconds ?? 30) * 1000;
    if (this.#app?.behaviour.exitsOnSigterm) await this.#app.close();
    else {
      // Keeps serving: proxies that do not know yet still send requests.
      await this.#pause(graceMs * this.#options.graceScale, this.#life.signal);
      const deadlineMs = this.#clock.monotonicMs() + graceMs * (1 - this.#options.graceScale);
      while (this.#app && this.#app.inFlight() > 0 && this.#clock.monotonicMs() < deadlineMs && !this.#life.signal.aborted)
        await this.#pause(20, this.#life.signal);
      await this.#app?.close(true);
    }
    await this.#insist(() => this.#calls.forceDelete(this.#pod));
  }

  #guarded(work: Promise<void>): Promise<void> {
    return work.catch((error: unknown) => {
      if (!this.#life.signal.aborted) this.#options.onError(error, this.#what);
    });
  }

  #terminateOnce(): void {
    if (this.#isTerminating || this.#pod.metadata.deletionTimestamp === undefined) return;
    this.#isTerminating = true;
    void this.#guarded(this.#terminate());
  }
}

/** A readiness gate was opened or closed since the kubelet last wrote the status. */
function isStale(pod: Pod, seen: ContainerSeen, nowText: string): boolean {
  if (!pod.spec.readinessGates) return false;
  const readyIn = (status: Pod['status']) => status?.conditions?.find(({ type }) => type === 'Ready')?.status;
  return readyIn(pod.status) !== undefined && readyIn(pod.status) !== readyIn(podStatus(pod, seen, nowText));
}
