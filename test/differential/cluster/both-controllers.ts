import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { ensureFlagger } from '../../../scripts/e2e-flagger.ts';
import type { KubeObject } from '../../../src/api/kube-object.ts';
import { startGatewayApi } from '../../../src/embedded/gateway-api/index.ts';
import { type Mesh, startMesh } from '../../../src/embedded/mesh/index.ts';
import { type Nodes, startNodes } from '../../../src/embedded/nodes/index.ts';
import { podCallsBy } from '../../../src/embedded/nodes/pod-calls.ts';
import type { KubeCluster } from '../../../src/kube/kube-cluster.ts';
import { freePort } from '../../e2e/free-port.ts';
import { startRealCluster } from '../../e2e/real-cluster.ts';
import { startController } from '../../scenarios/controller.ts';
import { applyCrds } from '../../scenarios/environment.ts';
import { eventually } from '../../scenarios/eventually.ts';
import { type GuardedProcess, startGuarded } from '../../scenarios/guarded-process.ts';
import { Journal } from '../recording/journal.ts';
import { startRecorder } from '../recording/recorder.ts';
import { isUnderAnalysis, NAMESPACES, SIDES, type Side } from '../recording/recording.ts';
import { ONE_UNREADY } from '../scenarios/application.ts';
import type { NamedScenario } from '../scenarios/scenario.ts';
import { Answers } from './answers.ts';
import { type Receivers, startReceivers } from './receivers.ts';

export interface BothControllers {
  readonly cluster: KubeCluster;
  readonly journal: Journal;
  readonly answers: Answers;
  readonly receivers: Readonly<Record<Side, Receivers>>;
  /** The data plane of both. */
  readonly mesh: Mesh;
  /** Log of each controller; stays after the end. */
  readonly logFiles: Readonly<Record<Side, string>>;
  /** Makes one pod of the new version unready from now on. */
  breakOnePod(namespace: string, app: string): void;
  /** Names of the controllers that have ended by themselves. */
  ended(): Side[];
  stop(): Promise<void>;
}

/**
 * One real control plane with Flagger and Serin, each with a namespace of its own, a fake Prometheus and receivers of its own. Flagger looks for new
 * Canaries each second; its floor of 10 s for `analysis.interval` cannot be lowered, so that Serin keeps its own floor, which is the same.
 */
export async function startBothControllers(
  scenarios: readonly NamedScenario[],
  logs: string,
  serinMain?: string,
): Promise<BothControllers> {
  const flagger = await ensureFlagger();
  mkdirSync(logs, { recursive: true });
  const real = await startRealCluster();
  const { cluster } = real;
  const stops: (() => unknown)[] = [];
  const stop = async (): Promise<void> => {
    for (const each of stops.toReversed()) await each();
    await real.stop();
  };
  try {
    await applyCrds(cluster);
    for (const side of SIDES) await cluster.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: NAMESPACES[side] } });
    const nodes = await nodesOf(cluster);
    stops.push(() => nodes.stop());
    const gateways = startGatewayApi(cluster);
    stops.push(() => gateways.stop());
    const mesh = await startMesh(cluster, { proxies: 1, lagMs: [20, 200] });
    stops.push(() => mesh.stop());
    const journal = new Journal();
    const answers = new Answers(scenarios, (side, scenario) => isUnderAnalysis(journal.of(scenario)[side]));
    const receivers = {
      flagger: await startReceivers('flagger', answers, journal),
      serin: await startReceivers('serin', answers, journal),
    };
    stops.push(() => Promise.all(SIDES.map((side) => receivers[side].stop())));
    const recorder = startRecorder(cluster, journal);
    stops.push(() => recorder.stop());
    await recorder.synced;

    const logFiles = { flagger: join(logs, 'flagger.log'), serin: join(logs, 'serin.log') };
    const port = await freePort();
    const flaggerProcess = startFlagger(flagger, logFiles.flagger, {
      kubeconfig: real.adminKubeconfigFile,
      namespace: NAMESPACES.flagger,
      'metrics-server': receivers.flagger.url,
      'event-webhook': receivers.flagger.eventUrl,
      port: String(port),
    });
    stops.push(() => flaggerProcess.stop());
    const serin = startController(
      { kubeconfigFile: real.kubeconfigFile, prometheusUrl: receivers.serin.url },
      { namespace: NAMESPACES.serin, 'min-analysis-interval': '10s', 'scale-down-delay': '10s' },
      logFiles.serin,
      serinMain,
    );
    stops.push(() => serin.stop());
    await eventually('Flagger serves', async () => {
      if (flaggerProcess.hasExited()) throw new Error(`Flagger ended:\n${flaggerProcess.logTail()}`);
      return fetch(`http://127.0.0.1:${port}/healthz`).then(
        ({ ok }) => ok,
        () => false,
      );
    });
    const processes = { flagger: flaggerProcess, serin };
    const ended = () => SIDES.filter((side) => processes[side].hasExited());
    const breakOnePod = (namespace: string, app: string): void => {
      const [, pod] = [...nodes.apps()].find(([key]) => key.startsWith(`${namespace}/${app}-`) && !key.includes('-primary-')) ?? [];
      if (pod) pod.behaviour.neverReady = true;
    };
    return { cluster, journal, answers, receivers, mesh, logFiles, breakOnePod, ended, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Flagger, which looks for Canaries each second. */
export function startFlagger(program: string, logFile: string, flags: Record<string, string>): GuardedProcess {
  const all = { 'control-loop-interval': '1s', 'mesh-provider': 'istio', 'log-level': 'info', ...flags };
  return startGuarded('flagger', [program, ...Object.entries(all).map(([flag, value]) => `-${flag}=${value}`)], logFile);
}

async function nodesOf(cluster: KubeCluster): Promise<Nodes> {
  const unready = new Map<string, string>();
  const isFirstOfItsOwner = ({ metadata }: KubeObject): boolean => {
    const owner = metadata.ownerReferences?.[0]?.uid ?? '';
    if (!unready.has(owner)) unready.set(owner, metadata.name);
    return unready.get(owner) === metadata.name;
  };
  const nodes = startNodes(cluster, {
    graceScale: 0.2,
    appFor(pod) {
      const env: { name: string }[] = pod.spec.containers?.[0]?.env ?? [];
      const isMarked = env.some(({ name }) => name === ONE_UNREADY) && !pod.metadata.labels?.app?.endsWith('-primary');
      return isMarked && isFirstOfItsOwner(pod) ? { neverReady: true } : {};
    },
    calls: podCallsBy(cluster),
  });
  await nodes.ready;
  return nodes;
}
