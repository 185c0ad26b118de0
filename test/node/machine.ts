import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stringify } from 'yaml';
import type { NodePrograms } from '../../scripts/node/programs.ts';
import type { RealCluster } from '../e2e/real-cluster.ts';
import { type GuardedProcess, startGuarded } from '../scenarios/guarded-process.ts';
import { ranCommand, until } from './started.ts';

/** A node: containerd, kubelet and kube-proxy, in namespaces of its own. */
export interface Machine {
  readonly name: string;
  /** Makes the images of an archive known to the node. */
  loadImage(archive: string): Promise<void>;
  /** Tags an image with its digest in the node, and returns that name. */
  byDigest(image: string): Promise<string>;
  /** One of its programs, to be halted, killed and started again. */
  readonly kubelet: GuardedProcess;
  /** Ends every program of the node, without a word to anyone; its containers go on. */
  stop(): Promise<void>;
}

export interface MachineOptions {
  name: string;
  address: string;
  /** Addresses of its pods. */
  podRange: string;
  programs: NodePrograms;
  /** Archive of the sandbox image. */
  pause: string;
  /** For what its programs write. */
  folder: string;
  /** Begins a command that runs at this node. */
  enter?: readonly string[];
  /** The control plane, which can still be starting. */
  plane: Promise<RealCluster>;
}

/** Folder of containerd's `HOST/hosts.toml`, of the registries that a test starts. */
export const REGISTRIES = '/etc/containerd/certs.d';
const SOCKET = '/run/containerd/containerd.sock';
const TLS_FIXTURES = join(import.meta.dirname, '..', 'fixtures', 'tls');

/** Users of the API server for its programs. */
export const personsOf = (name: string) => [{ name: `system:node:${name}`, groups: ['system:nodes'] }];

/** Starts a node, and waits until it is ready. The kubelet lets everyone whom it knows do everything. */
export async function startMachine(options: MachineOptions): Promise<Machine> {
  const { name, address, podRange, programs, pause, folder, enter = [], plane: starting } = options;
  const logs = join(folder, 'logs');
  mkdirSync(logs, { recursive: true });
  const started: GuardedProcess[] = [];
  const start = (each: string, program: string, ...flags: string[]): GuardedProcess => {
    // The shims of containerd are beside it.
    const env = { ...process.env, PATH: `${programs.containerd}:${process.env.PATH}` };
    const [first = program, ...more] = [...enter, program, ...flags];
    const guarded = startGuarded(`${each} of ${name}`, [first, ...more], join(logs, `${each}.log`), env);
    started.push(guarded);
    return guarded;
  };
  const stop = async (): Promise<void> => {
    for (const each of started.toReversed()) await each.stop();
  };
  const ran = (program: string, ...args: string[]): Promise<string> => {
    const [first = program, ...more] = [...enter, program, ...args];
    return ranCommand(first, more);
  };
  const ctr = (...args: string[]) => ran(join(programs.containerd, 'ctr'), '--address', SOCKET, '-n', 'k8s.io', ...args);
  const loadImage = async (archive: string): Promise<void> => {
    await ctr('images', 'import', archive);
  };
  const byDigest = async (image: string): Promise<string> => {
    const [digest] = /sha256:[0-9a-f]{64}/.exec(await ctr('images', 'list', `name==${image}`)) ?? [];
    const pinned = `${image.replace(/:[^:/]+$/, '')}@${digest}`;
    await ctr('images', 'tag', image, pinned);
    return pinned;
  };
  try {
    const configs = join(folder, 'cni');
    mkdirSync(configs, { recursive: true });
    writeFileSync(join(configs, '10-pods.conflist'), JSON.stringify(podNetwork(podRange)));
    writeFileSync(join(folder, 'containerd.toml'), containerdConfig(folder, configs));
    const containerd = start('containerd', join(programs.containerd, 'containerd'), '--config', join(folder, 'containerd.toml'));
    await until(containerd, 'containerd answers', () => ctr('version'));
    await loadImage(pause);
    const plane = await starting;
    const as = (person: string): string => `--kubeconfig=${plane.kubeconfigFileOf(person)}`;
    writeFileSync(join(folder, 'kubelet.yaml'), stringify(kubeletConfig(podRange)));
    const kubelet = start(
      'kubelet',
      programs.kubelet,
      `--config=${join(folder, 'kubelet.yaml')}`,
      as(`system:node:${name}`),
      `--hostname-override=${name}`,
      `--node-ip=${address}`,
      '--root-dir=/var/lib/kubelet',
    );
    start(
      'kube-proxy',
      programs.kubeProxy,
      as('system:kube-proxy'),
      `--hostname-override=${name}`,
      '--proxy-mode=iptables',
      '--cluster-cidr=10.244.0.0/16',
      // conntrack limits belong to the whole machine, so kube-proxy must not set them.
      ...['--conntrack-max-per-core=0', '--conntrack-tcp-timeout-established=0s', '--conntrack-tcp-timeout-close-wait=0s'],
    );
    await until(kubelet, 'the node is ready', async () => {
      const node = await plane.cluster.get({ apiVersion: 'v1', kind: 'Node', name });
      const conditions = (node?.status as { conditions?: { type: string; status: string }[] } | undefined)?.conditions ?? [];
      if (!conditions.some(({ type, status }) => type === 'Ready' && status === 'True')) throw new Error('it is not');
    });
    return { name, loadImage, byDigest, kubelet, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Each pod by a cable of its own, and no bridge: between pods of one bridge an answer would go past the rules of kube-proxy. */
const podNetwork = (podRange: string) => ({
  cniVersion: '1.0.0',
  name: 'pods',
  plugins: [
    {
      type: 'ptp',
      ipMasq: false,
      ipam: { type: 'host-local', ranges: [[{ subnet: podRange }]], routes: [{ dst: '0.0.0.0/0' }] },
    },
    { type: 'portmap', capabilities: { portMappings: true } },
  ],
});

/** `restrict_oom_score_adj`: without CAP_SYS_RESOURCE no score can be lowered, and runc ends without a message. */
const containerdConfig = (folder: string, configs: string): string => `version = 2
root = "${folder}/containerd"
state = "/run/containerd"
disabled_plugins = ["io.containerd.snapshotter.v1.btrfs", "io.containerd.snapshotter.v1.zfs", "io.containerd.snapshotter.v1.devmapper", "io.containerd.snapshotter.v1.aufs", "io.containerd.internal.v1.opt"]
[grpc]
  address = "${SOCKET}"
[plugins."io.containerd.grpc.v1.cri"]
  sandbox_image = "serin.test/pause:1"
  restrict_oom_score_adj = true
[plugins."io.containerd.grpc.v1.cri".registry]
  config_path = "${REGISTRIES}"
[plugins."io.containerd.grpc.v1.cri".cni]
  bin_dir = "/usr/lib/cni"
  conf_dir = "${configs}"
[plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc]
  runtime_type = "io.containerd.runc.v2"
[plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc.options]
  SystemdCgroup = false
`;

const kubeletConfig = (podRange: string) => ({
  apiVersion: 'kubelet.config.k8s.io/v1beta1',
  kind: 'KubeletConfiguration',
  // The API server authenticates callers: metrics-server has the token of a service account.
  authentication: { anonymous: { enabled: false }, webhook: { enabled: true }, x509: { clientCAFile: join(TLS_FIXTURES, 'ca.crt') } },
  authorization: { mode: 'AlwaysAllow' },
  cgroupDriver: 'cgroupfs',
  failCgroupV1: false,
  failSwapOn: false,
  containerRuntimeEndpoint: `unix://${SOCKET}`,
  clusterDNS: ['10.96.0.10'],
  clusterDomain: 'cluster.local',
  resolvConf: '/dev/null',
  podCIDR: podRange,
  imageGCHighThresholdPercent: 100,
  evictionHard: { 'memory.available': '100Mi', 'nodefs.available': '0%', 'imagefs.available': '0%', 'nodefs.inodesFree': '0%' },
  enforceNodeAllocatable: ['pods'],
});
