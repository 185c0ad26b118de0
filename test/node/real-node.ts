import { mkdirSync, writeFileSync } from 'node:fs';
import { readdir, readFile, readlink } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { stringify } from 'yaml';
import type { NodePrograms } from '../../scripts/node/programs.ts';
import { runProgram } from '../e2e/helm.ts';
import { type RealCluster, startRealCluster } from '../e2e/real-cluster.ts';
import { type GuardedProcess, startGuarded } from '../scenarios/guarded-process.ts';

export interface RealNode {
  readonly name: string;
  /** The control plane, with every controller of kube-controller-manager, and RBAC. */
  readonly plane: RealCluster;
  /** Standard output of `kubectl` as an administrator; throws what it complained where it failed. */
  kubectl(...args: string[]): Promise<string>;
  /** Makes the images of an archive known to the node. */
  loadImage(archive: string): Promise<void>;
  /** Processes in the containers of a pod of Serin, by its uid; without that of its sandbox. */
  processesOf(uid: string): Promise<number[]>;
  /** One of its programs, to be halted, killed and started again. */
  readonly kubelet: GuardedProcess;
  stop(): Promise<void>;
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
const POD_RANGE = '10.244.0.0/24';
const SOCKET = '/run/containerd/containerd.sock';
const READY_WITHIN_MS = 120_000;
const LOOK_AGAIN_MS = 100;
const TLS_FIXTURES = join(import.meta.dirname, '..', 'fixtures', 'tls');

/**
 * A control plane with kube-scheduler, and a node with containerd, kubelet and kube-proxy, in the namespaces of `namespaces.sh`. Certificates for the
 * kubelet are those of the fixtures; the kubelet lets all who have one do everything.
 */
export async function startNode({ programs, pause, folder, address, say = () => undefined }: NodeOptions): Promise<RealNode> {
  const logs = join(folder, 'logs');
  mkdirSync(logs, { recursive: true });
  const started: GuardedProcess[] = [];
  const start = (name: string, program: string, ...flags: string[]): GuardedProcess => {
    const guarded = startGuarded(name, [program, ...flags], join(logs, `${name}.log`));
    started.push(guarded);
    return guarded;
  };
  const ctr = (...args: string[]) => ranCommand(join(programs.containerd, 'ctr'), ['--address', SOCKET, '-n', 'k8s.io', ...args]);
  const loadImage = async (archive: string): Promise<void> => {
    await ctr('images', 'import', archive);
  };
  let plane: RealCluster | undefined;
  const stop = async (): Promise<void> => {
    for (const each of started.toReversed()) await each.stop();
    await plane?.stop();
  };
  try {
    mkdirSync('/etc/cni/net.d', { recursive: true });
    writeFileSync('/etc/cni/net.d/10-bridge.conflist', JSON.stringify(podNetwork));
    writeFileSync(join(folder, 'containerd.toml'), containerdConfig(folder));
    // Its shims are beside it.
    const env = { ...process.env, PATH: `${programs.containerd}:${process.env.PATH}` };
    const containerd = startGuarded(
      'containerd',
      [join(programs.containerd, 'containerd'), '--config', join(folder, 'containerd.toml')],
      join(logs, 'containerd.log'),
      env,
    );
    started.push(containerd);
    const control = startRealCluster({
      say,
      address,
      people: [
        { name: `system:node:${NAME}`, groups: ['system:nodes'] },
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
      ],
      moreControllers: ['*'],
    });
    await until(containerd, 'containerd answers', () => ctr('version'));
    await loadImage(pause);
    plane = await control;
    const { cluster } = plane;
    const as = (person: string): string => `--kubeconfig=${plane?.kubeconfigFileOf(person)}`;
    start('kube-scheduler', programs.scheduler, as('system:kube-scheduler'), '--leader-elect=false');
    writeFileSync(join(folder, 'kubelet.yaml'), stringify(kubeletConfig));
    const kubelet = start(
      'kubelet',
      programs.kubelet,
      `--config=${join(folder, 'kubelet.yaml')}`,
      as(`system:node:${NAME}`),
      `--hostname-override=${NAME}`,
      `--node-ip=${address}`,
      '--root-dir=/var/lib/kubelet',
    );
    start(
      'kube-proxy',
      programs.kubeProxy,
      as('system:kube-proxy'),
      `--hostname-override=${NAME}`,
      '--proxy-mode=iptables',
      '--cluster-cidr=10.244.0.0/16',
      // Of the whole machine, and so not its own to set.
      ...['--conntrack-max-per-core=0', '--conntrack-tcp-timeout-established=0s', '--conntrack-tcp-timeout-close-wait=0s'],
    );
    await until(kubelet, 'the node is ready', async () => {
      const node = await cluster.get({ apiVersion: 'v1', kind: 'Node', name: NAME });
      const conditions = (node?.status as { conditions?: { type: string; status: string }[] } | undefined)?.conditions ?? [];
      if (!conditions.some(({ type, status }) => type === 'Ready' && status === 'True')) throw new Error('it is not');
    });
    say('the node is ready');
    const kubectl = (...args: string[]) => ranCommand(plane?.kubectl ?? '', args, { KUBECONFIG: plane?.adminKubeconfigFile ?? '' });
    return { name: NAME, plane, kubectl, loadImage, processesOf, kubelet, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

const podNetwork = {
  cniVersion: '1.0.0',
  name: 'pods',
  plugins: [
    {
      type: 'bridge',
      bridge: 'cni0',
      isGateway: true,
      ipMasq: false,
      hairpinMode: true,
      ipam: { type: 'host-local', ranges: [[{ subnet: POD_RANGE }]], routes: [{ dst: '0.0.0.0/0' }] },
    },
    { type: 'portmap', capabilities: { portMappings: true } },
  ],
};

/** `restrict_oom_score_adj`: without CAP_SYS_RESOURCE none may be lowered, and runc ends without a word of it. */
const containerdConfig = (folder: string): string => `version = 2
root = "${folder}/containerd"
state = "/run/containerd"
disabled_plugins = ["io.containerd.snapshotter.v1.btrfs", "io.containerd.snapshotter.v1.zfs", "io.containerd.snapshotter.v1.devmapper", "io.containerd.snapshotter.v1.aufs", "io.containerd.internal.v1.opt"]
[grpc]
  address = "${SOCKET}"
[plugins."io.containerd.grpc.v1.cri"]
  sandbox_image = "serin.test/pause:1"
  restrict_oom_score_adj = true
[plugins."io.containerd.grpc.v1.cri".cni]
  bin_dir = "/usr/lib/cni"
  conf_dir = "/etc/cni/net.d"
[plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc]
  runtime_type = "io.containerd.runc.v2"
[plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc.options]
  SystemdCgroup = false
`;

const kubeletConfig = {
  apiVersion: 'kubelet.config.k8s.io/v1beta1',
  kind: 'KubeletConfiguration',
  authentication: { anonymous: { enabled: false }, webhook: { enabled: false }, x509: { clientCAFile: join(TLS_FIXTURES, 'ca.crt') } },
  authorization: { mode: 'AlwaysAllow' },
  cgroupDriver: 'cgroupfs',
  failCgroupV1: false,
  failSwapOn: false,
  containerRuntimeEndpoint: `unix://${SOCKET}`,
  clusterDNS: ['10.96.0.10'],
  clusterDomain: 'cluster.local',
  resolvConf: '/dev/null',
  podCIDR: POD_RANGE,
  imageGCHighThresholdPercent: 100,
  evictionHard: { 'memory.available': '100Mi', 'nodefs.available': '0%', 'imagefs.available': '0%', 'nodefs.inodesFree': '0%' },
  enforceNodeAllocatable: ['pods'],
};

/** Tries again, soon, what cannot be watched: a program that is just starting. */
async function until(program: GuardedProcess, what: string, isSo: () => Promise<unknown>): Promise<void> {
  const deadlineMs = performance.now() + READY_WITHIN_MS;
  for (let last: unknown = 'not yet'; ; await sleep(LOOK_AGAIN_MS)) {
    if (program.hasExited()) throw new Error(`${program.name} ended before ${what}:\n${program.logTail()}`);
    try {
      await isSo();
      return;
    } catch (error) {
      last = error;
    }
    if (performance.now() >= deadlineMs)
      throw new Error(`${what}: not within ${READY_WITHIN_MS / 1000} s\n${program.logTail()}`, { cause: last });
  }
}

/** Standard output of a program; throws what it complained where it failed. */
export async function ranCommand(program: string, args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<string> {
  const { code, said, complained } = await runProgram(program, args, env);
  if (code !== 0) throw new Error(`${program} ${args.join(' ')} (code ${code})\n${complained || said}`);
  return said;
}

/** By the groups that the kubelet makes for a pod; the sandbox is one of them. */
async function processesOf(uid: string): Promise<number[]> {
  const found: number[] = [];
  for (const entry of await readdir('/proc')) {
    if (!/^\d+$/.test(entry)) continue;
    const groups = await readFile(join('/proc', entry, 'cgroup'), 'utf8').catch(() => ''); // ended meanwhile
    if (!groups.includes(`/pod${uid}/`)) continue;
    const program = await readlink(join('/proc', entry, 'exe')).catch(() => '');
    if (program !== '' && program !== '/program') found.push(Number(entry));
  }
  return found;
}
