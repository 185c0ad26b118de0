import { mkdirSync } from 'node:fs';
import { readdir, readFile, readlink } from 'node:fs/promises';
import { join } from 'node:path';
import type { NodePrograms } from '../../scripts/node/programs.ts';
import { type RealCluster, startRealCluster } from '../e2e/real-cluster.ts';
import { type GuardedProcess, startGuarded } from '../scenarios/guarded-process.ts';
import { SMALL_ETCD } from './full-etcd.ts';
import { type Machine, personsOf, startMachine } from './machine.ts';
import { type SecondNode, startSecondNode } from './second-node.ts';
import { ranCommand } from './started.ts';

export interface RealNode extends Machine {
  /** The control plane, with every controller of kube-controller-manager, and RBAC. */
  readonly plane: RealCluster;
  /** Standard output of `kubectl` as an administrator; throws what it complained where it failed. */
  kubectl(...args: string[]): Promise<string>;
  /** Processes in the containers of a pod of Serin, by its uid, without the process of its sandbox. */
  processesOf(uid: string): Promise<number[]>;
  /** Starts another node, `node2`, which this node reaches by a cable. It stops with this node. */
  addNode(): Promise<SecondNode>;
}

export interface NodeOptions {
  programs: NodePrograms;
  /** Archive of the sandbox image. */
  pause: string;
  /** For what containers write; the folder that `namespaces.sh` got. */
  folder: string;
  /** Address of the node in the namespace. */
  address: string;
  say?(line: string): void;
}

const NAME = 'node1';
const SECOND = 'node2';
const TLS_FIXTURES = join(import.meta.dirname, '..', 'fixtures', 'tls');

/**
 * A control plane with kube-scheduler, and a node with containerd, kubelet and kube-proxy, in the namespaces of `namespaces.sh`. Certificates for the
 * clients of the kubelet, and for the API server as a client of others, are those of the fixtures.
 */
export async function startNode({ programs, pause, folder, address, say = () => undefined }: NodeOptions): Promise<RealNode> {
  const started: { stop(): Promise<void> }[] = [];
  const stop = async (): Promise<void> => {
    for (const each of started.toReversed()) await each.stop();
  };
  try {
    const starting = startPlane(address, say);
    const machine = startMachine({ name: NAME, address, podRange: '10.244.0.0/24', programs, pause, folder, plane: starting });
    // Both are awaited, so that neither outlives a failure of the other.
    const [planeStarted, machineStarted] = await Promise.allSettled([starting, machine]);
    for (const each of [planeStarted, machineStarted]) if (each.status === 'fulfilled') started.push(each.value);
    const [plane, first] = [await starting, await machine];
    started.push(startScheduler(programs, plane, folder));
    say('the node is ready');
    const addNode = async (): Promise<SecondNode> => {
      const second = await startSecondNode({
        name: SECOND,
        address: nextOf(address),
        podRange: '10.244.1.0/24',
        programs,
        pause,
        folder,
        plane: starting,
      });
      started.push(second);
      say('the second node is ready');
      return second;
    };
    const kubectl = (...args: string[]) => ranCommand(plane.kubectl, args, { KUBECONFIG: plane.adminKubeconfigFile });
    return { ...first, plane, kubectl, processesOf, addNode, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

const startPlane = (address: string, say: (line: string) => void): Promise<RealCluster> =>
  startRealCluster({
    say,
    address,
    // As an API server has it by default; a fault needs it.
    fairness: true,
    people: [
      ...[NAME, SECOND].flatMap(personsOf),
      { name: 'system:kube-scheduler', groups: [] },
      { name: 'system:kube-proxy', groups: [] },
    ],
    serverFlags: [
      // Beside RBAC: the lists of two flags are joined.
      '--authorization-mode=Node',
      '--enable-admission-plugins=NodeRestriction',
      '--allow-privileged=true',
      '--kubelet-preferred-address-types=InternalIP',
      `--kubelet-client-certificate=${join(TLS_FIXTURES, 'client.crt')}`,
      `--kubelet-client-key=${join(TLS_FIXTURES, 'client.key')}`,
      // Certificate authority for the API of metrics-server, by which it believes the API server's user names.
      `--requestheader-client-ca-file=${join(TLS_FIXTURES, 'ca.crt')}`,
      '--requestheader-allowed-names=serin',
      '--requestheader-extra-headers-prefix=X-Remote-Extra-',
      '--requestheader-group-headers=X-Remote-Group',
      '--requestheader-username-headers=X-Remote-User',
      `--proxy-client-cert-file=${join(TLS_FIXTURES, 'client.crt')}`,
      `--proxy-client-key-file=${join(TLS_FIXTURES, 'client.key')}`,
      '--enable-aggregator-routing=true',
    ],
    etcdFlags: SMALL_ETCD,
    moreControllers: ['*'],
  });

function startScheduler(programs: NodePrograms, plane: RealCluster, folder: string): GuardedProcess {
  const kubeconfig = `--kubeconfig=${plane.kubeconfigFileOf('system:kube-scheduler')}`;
  mkdirSync(join(folder, 'logs'), { recursive: true });
  return startGuarded(
    'kube-scheduler',
    [programs.scheduler, kubeconfig, '--leader-elect=false'],
    join(folder, 'logs', 'kube-scheduler.log'),
  );
}

const nextOf = (address: string): string => address.replace(/\d+$/, (last) => String(Number(last) + 1));

/** The kubelet makes a group for a pod; the sandbox is in it. */
async function processesOf(uid: string): Promise<number[]> {
  const found: number[] = [];
  for (const pid of await processesIn(`/pod${uid}/`)) {
    const program = await readlink(join('/proc', String(pid), 'exe')).catch(() => '');
    if (program !== '' && program !== '/program') found.push(pid);
  }
  return found;
}

/** Processes in a group whose path has this part: the uid of a pod, or the id of one of its containers. */
export async function processesIn(group: string): Promise<number[]> {
  const found: number[] = [];
  for (const entry of await readdir('/proc')) {
    if (!/^\d+$/.test(entry)) continue;
    const groups = await readFile(join('/proc', entry, 'cgroup'), 'utf8').catch(() => ''); // ended meanwhile
    if (groups.includes(group)) found.push(Number(entry));
  }
  return found;
}
