import { systemClock } from '../../../src/base/clock.ts';
import { listed } from '../figures.ts';
import { INTERVAL_MS } from './at-once-applications.ts';
import type { ControlPlane } from './control-plane.ts';
import { startControlPlane } from './control-plane.ts';
import { startFakePrometheus } from './fake-prometheus.ts';
import { type Fault, type FaultProxy, startFaultProxy } from './fault-proxy.ts';
import {
  type Cost,
  changeLeader,
  createTargets,
  type Faulty,
  type Initialized,
  initializeAll,
  type LeaderChange,
  type Releases,
  type Restart,
  type Run,
  release,
  releaseUnderFault,
  rest,
  restart,
} from './phases.ts';
import { measurePlain, type PlainFigures } from './plain-client.ts';
import { ReleaseLog } from './release-log.ts';
import { argoSubject, flaggerSubject, RunningSubject, type Subject, serin, tokenOf } from './subjects.ts';

/** Results of one controller at one size; a phase that was not reached is absent. */
export interface AtOnceResult {
  controller: string;
  size: number;
  initialized?: Initialized;
  plain?: PlainFigures;
  idle?: Cost;
  alone?: Releases;
  releases?: Releases;
  bad?: Releases;
  restart?: Restart;
  leaderChange?: LeaderChange;
  faulty?: Faulty;
  /** Reason for an end before the last phase. */
  stopped?: string;
}

export interface AtOnceOptions {
  kind: ControlPlane['kind'];
  sizes: readonly number[];
  releases: number;
  /** Steps of each release. */
  steps: number;
  flagger: boolean;
  argo: boolean;
  fault?: Fault;
  /** Time over which the releases begin, instead of at once; nothing but them is measured then. */
  overMs?: number;
  say(line: string): void;
}

const READY_WITHIN_MS = 60_000;
/** Timeout of every wait: more than a slow server needs. */
const boundMs = (size: number): number => 300_000 + size * 250;

/** Canaries that are applied at once, at rest, releasing, rolling back and after a restart, on a control plane for each size. */
export async function measureAtOnce(options: AtOnceOptions): Promise<AtOnceResult[]> {
  const { kind, sizes, flagger, argo, say } = options;
  const subjects = [serin, ...(flagger ? [await flaggerSubject(say)] : []), ...(argo ? [await argoSubject(say)] : [])];
  const results: AtOnceResult[] = [];
  for (const size of sizes) {
    say(`${size} Canaries on the ${kind} control plane`);
    const plane = await startControlPlane(kind, say);
    try {
      for (const subject of subjects) results.push(await measureSubject(plane, subject, size, options));
    } finally {
      await plane.stop();
    }
  }
  return results;
}

async function measureSubject(plane: ControlPlane, subject: Subject, size: number, options: AtOnceOptions): Promise<AtOnceResult> {
  const result: AtOnceResult = { controller: subject.name, size };
  const say = (line: string) => options.say(`${subject.name}, ${size}: ${line}`);
  const prometheus = await startFakePrometheus();
  const proxy = options.fault === undefined ? undefined : await startFaultProxy(plane.apiUrl, tokenOf(plane, subject.name));
  const log = new ReleaseLog(plane.cluster, subject.namespace, systemClock, subject.applications);
  const prometheusUrl = prometheus.url;
  const place = {
    plane,
    subject,
    prometheus,
    prometheusUrl,
    apiUrl: proxy?.url ?? plane.apiUrl,
    size,
    steps: options.steps,
    boundMs: boundMs(size) + options.steps * INTERVAL_MS + (options.overMs ?? 0),
    versions: 0,
    say,
  };
  let run: Run | undefined;
  try {
    say('targets are created');
    await createTargets(place);
    const running = await RunningSubject.start(subject, place);
    run = { ...place, log, running };
    if ((await running.ready(READY_WITHIN_MS)) === undefined) throw new Error(`not ready within ${READY_WITHIN_MS / 1000} s`);
    await measurePhases(run, proxy, options, result);
  } catch (error) {
    result.stopped = `${error instanceof Error ? error.message : error}`;
    say(`stopped: ${result.stopped}\n${run?.running.logTail() ?? ''}`);
  } finally {
    await run?.running.stop();
    log.stop();
    await proxy?.stop();
    await prometheus.stop();
  }
  return result;
}

async function measurePhases(
  run: Run,
  proxy: FaultProxy | undefined,
  { releases, fault, overMs }: AtOnceOptions,
  result: AtOnceResult,
): Promise<void> {
  const { say, size, subject, plane } = run;
  const count = Math.min(releases, size);
  const push = { from: 0, count, isGood: true };
  say('all Canaries are applied');
  result.initialized = await initializeAll(run);
  const { reached, tookMs, requests } = result.initialized;
  say(`${reached} are initialized after ${((tookMs ?? run.boundMs) / 1000).toFixed(1)} s; failed requests: ${listed(requests.failures)}`);
  if (reached < size) throw new Error(`${reached} of ${size} were initialized within ${run.boundMs / 1000} s`);
  if (proxy && fault) {
    say(`${count} releases at once, and no fault`);
    result.releases = await release(run, push);
    say(summary(result.releases));
    say(`${count} releases at once, and a fault`);
    result.faulty = await releaseUnderFault(run, proxy, fault, push);
    say(summary(result.faulty));
    return;
  }
  if (overMs !== undefined) {
    say(`${count} releases over ${overMs / 1000} s`);
    result.releases = await release(run, { ...push, overMs });
    say(summary(result.releases));
    return;
  }
  say('idle');
  result.idle = await rest(run);
  if (subject === serin) {
    say('a plain client creates as many objects');
    result.plain = await measurePlain(plane, subject.namespace, size, run.boundMs);
    say(`${result.plain.reached} sets of objects after ${((result.plain.tookMs ?? run.boundMs) / 1000).toFixed(1)} s`);
  }
  say('one release alone');
  result.alone = await release(run, { from: size - 1, count: 1, isGood: true });
  say(`${count} releases at once`);
  result.releases = await release(run, push);
  say(summary(result.releases));
  say(`${count} bad releases at once`);
  result.bad = await release(run, { ...push, isGood: false });
  say(summary(result.bad));
  say('a restart');
  result.restart = await restart(run);
  say('another leader');
  result.leaderChange = await changeLeader(run);
}

/** Summary for a waiting user: the figures themselves come at the end. */
const summary = ({ ends, seconds, requests }: Releases): string =>
  `${listed(ends)} after ${seconds.toFixed(1)} s; ${requests.total} requests; failed requests: ${listed(requests.failures)}`;
