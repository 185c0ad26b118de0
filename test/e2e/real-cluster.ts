import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ensureBinaries } from '../../scripts/e2e-binaries.ts';
import { loadConnection } from '../../src/kube/connect.ts';
import { createCluster } from '../../src/kube/create-cluster.ts';
import type { KubeCluster } from '../../src/kube/kube-cluster.ts';
import { type GuardedProcess, startGuarded } from '../scenarios/guarded-process.ts';
import { controllerRole } from './controller-role.ts';
import { freePort } from './free-port.ts';

export interface RealClusterOptions {
  /** Called at each step of the start. */
  say?(line: string): void;
  /** User names that the API server knows besides its own, only with the rights of their groups. */
  people?: readonly (string | { name: string; groups: readonly string[] })[];
  /** Address that all servers listen on, and that nodes reach. Default: 127.0.0.1, where no Service leads to the API server. */
  address?: string;
  /** Requests of different users wait in queues of their own, as an API server has it by default. Default: no. */
  fairness?: boolean;
  /** `false` runs no kube-controller-manager, for a cluster with a leaner replacement. Default: true. */
  controllers?: boolean;
  /** Groups of the user `serin` and of all `people`. */
  groups?: readonly string[];
  /** YAML. Default: metadata of every request, once it is answered. */
  auditPolicy?: string;
  /** Flags of kube-apiserver; the last of two wins. */
  serverFlags?: readonly string[];
  etcdFlags?: readonly string[];
  /** Controllers of kube-controller-manager, besides the controllers that a workload needs. */
  moreControllers?: readonly string[];
}

export interface RealCluster {
  readonly apiUrl: string;
  /** HTTP, without a password. */
  readonly etcdUrl: string;
  /** Kubeconfig of one of `people`. */
  kubeconfigFileOf(person: string): string;
  /** Text, as the user `serin`, who has only the controller's role. */
  readonly kubeconfig: string;
  readonly kubeconfigFile: string;
  /** Kubeconfig of a cluster administrator: for set-up, `kubectl` and looking. */
  readonly adminKubeconfigFile: string;
  readonly kubectl: string;
  /** An administrator's client. */
  readonly cluster: KubeCluster;
  /** File of the API server's audit events, one JSON a line: every request with its user and code. */
  readonly auditLog: string;
  /** Folder of the logs, gone after `stop`. */
  readonly folder: string;
  /** Kills kube-apiserver and starts it again, at the same address; resolves when it is ready. */
  restartServer(): Promise<void>;
  stop(): Promise<void>;
}

/** The authority of client certificates; `client.crt` in it is the user `serin`. */
const TLS_FIXTURES = join(import.meta.dirname, '..', 'fixtures', 'tls');
const LOOPBACK = '127.0.0.1';
const READY_WITHIN_MS = 110_000;
const LOOK_AGAIN_MS = 50;
/** Timeout of the tests' own requests: on a busy machine an answer is late. */
const ANSWER_WITHIN_MS = 60_000;
/** Controllers that a workload needs. The node lifecycle controller is left out: nodes/ replaces the kubelets. */
const CONTROLLERS = [
  'deployment-controller',
  'replicaset-controller',
  'daemonset-controller',
  'endpointslice-controller',
  'garbage-collector-controller',
  'namespace-controller',
  'serviceaccount-controller',
  'root-ca-certificate-publisher-controller',
];
const AUDIT_POLICY = `apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [RequestReceived]
rules:
  - level: Metadata
`;

/** etcd, kube-apiserver and kube-controller-manager on loopback, with RBAC; they end with this process, however it ends. */
export async function startRealCluster({
  say = () => undefined,
  people = [],
  address = LOOPBACK,
  fairness = false,
  controllers = true,
  groups = [],
  auditPolicy = AUDIT_POLICY,
  serverFlags = [],
  etcdFlags = [],
  moreControllers = [],
}: RealClusterOptions = {}): Promise<RealCluster> {
  const { dir } = await ensureBinaries(say);
  const startedMs = performance.now();
  const folder = mkdtempSync(join(tmpdir(), 'serin-e2e-'));
  const file = (name: string) => join(folder, name);
  const processes: GuardedProcess[] = [];
  const start = (name: string, ...flags: string[]): GuardedProcess => {
    const started = startGuarded(name, [join(dir, name), ...flags], file(`${name}.log`));
    processes.push(started);
    return started;
  };
  const stop = async () => {
    // The servers last: the controller manager would otherwise fill its log with failures to reach them.
    for (const each of processes.toReversed()) await each.stop();
    rmSync(folder, { recursive: true, force: true });
  };

  try {
    const [etcdPort, peerPort, apiPort] = [await freePort(), await freePort(), await freePort()];
    const etcdUrl = `http://127.0.0.1:${etcdPort}`;
    const etcd = start(
      'etcd',
      `--data-dir=${file('etcd')}`,
      '--unsafe-no-fsync',
      `--listen-client-urls=${etcdUrl}`,
      `--advertise-client-urls=${etcdUrl}`,
      `--listen-peer-urls=http://127.0.0.1:${peerPort}`,
      '--log-level=warn',
      ...etcdFlags,
    );
    await until(etcd, 'etcd is healthy', async () => (await fetch(`${etcdUrl}/health`)).ok);

    const keys = generateKeyPairSync('rsa', {
      modulusLength: 2048,
      privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
      publicKeyEncoding: { type: 'spki', format: 'pem' },
    });
    writeFileSync(file('service-account.key'), keys.privateKey, { mode: 0o600 });
    writeFileSync(file('service-account.pub'), keys.publicKey);
    const tokens = { admin: randomBytes(16).toString('hex'), serin: randomBytes(16).toString('hex') };
    const persons = people.map((person, index) => ({
      ...(typeof person === 'string' ? { name: person, groups } : person),
      token: randomBytes(16).toString('hex'),
      file: file(`person-${index}.kubeconfig`),
    }));
    const lines = [
      `${tokens.admin},admin,admin,"system:masters"`,
      ...[{ name: 'serin', token: tokens.serin, groups }, ...persons].map(
        ({ name, token, groups: of }) => `${token},"${name}","${name}"${of.length === 0 ? '' : `,"${of.join(',')}"`}`,
      ),
    ];
    writeFileSync(file('tokens.csv'), `${lines.join('\n')}\n`, { mode: 0o600 });
    writeFileSync(file('audit-policy.yaml'), auditPolicy);
    const auditLog = file('audit.log');
    const startServer = (): GuardedProcess =>
      start(
        'kube-apiserver',
        `--etcd-servers=${etcdUrl}`,
        `--bind-address=${address}`,
        `--secure-port=${apiPort}`,
        `--cert-dir=${folder}`,
        '--authorization-mode=RBAC',
        `--token-auth-file=${file('tokens.csv')}`,
        `--client-ca-file=${join(TLS_FIXTURES, 'ca.crt')}`,
        '--service-account-issuer=https://kubernetes.default.svc',
        `--service-account-key-file=${file('service-account.pub')}`,
        `--service-account-signing-key-file=${file('service-account.key')}`,
        '--service-cluster-ip-range=10.96.0.0/16',
        // Its own Service needs an endpoint, and loopback cannot be one.
        ...(address === LOOPBACK ? ['--endpoint-reconciler-type=none'] : [`--advertise-address=${address}`]),
        `--enable-priority-and-fairness=${fairness}`,
        `--audit-policy-file=${file('audit-policy.yaml')}`,
        `--audit-log-path=${auditLog}`,
        ...serverFlags,
      );
    let server = startServer();
    const apiUrl = `https://${address}:${apiPort}`;
    const certificate = file('apiserver.crt');
    // The file is created empty, a moment before it is written.
    const pem = () => (existsSync(certificate) ? readFileSync(certificate, 'utf8') : '');
    await until(server, 'the API server has its certificate', async () => pem().trimEnd().endsWith('-----END CERTIFICATE-----'));
    const ca = Buffer.from(pem()).toString('base64');
    const kubeconfig = kubeconfigOf(apiUrl, ca, 'serin', tokens.serin);
    writeFileSync(file('serin.kubeconfig'), kubeconfig, { mode: 0o600 });
    const adminKubeconfigFile = file('admin.kubeconfig');
    writeFileSync(adminKubeconfigFile, kubeconfigOf(apiUrl, ca, 'admin', tokens.admin), { mode: 0o600 });
    for (const { name, token, file: path } of persons) writeFileSync(path, kubeconfigOf(apiUrl, ca, name, token), { mode: 0o600 });
    const connection = await loadConnection({ kubeconfig: adminKubeconfigFile, userAgent: 'serin-e2e' });
    const cluster = createCluster(connection, { requestTimeoutMs: ANSWER_WITHIN_MS });
    const serverIsReady = () => until(server, 'the API server is ready', async () => (await cluster.raw('GET', '/readyz')) === 'ok');
    await serverIsReady();
    say(`API server ready after ${Math.round(performance.now() - startedMs)} ms`);

    if (controllers)
      start(
        'kube-controller-manager',
        `--kubeconfig=${adminKubeconfigFile}`,
        `--controllers=${[...CONTROLLERS, ...moreControllers].join(',')}`,
        `--service-account-private-key-file=${file('service-account.key')}`,
        `--root-ca-file=${certificate}`,
        '--leader-elect=false',
        // Its default of 20 requests a second would make a hundred new applications wait for their pods.
        '--kube-api-qps=200',
        '--kube-api-burst=400',
        '--horizontal-pod-autoscaler-sync-period=1s',
        // The default of five workers a kind serves all namespaces: if one namespace starts releases without end, those of the others wait for a worker.
        ...['deployment', 'replicaset', 'service-endpoint'].map((kind) => `--concurrent-${kind}-syncs=50`),
        '--secure-port=0',
      );
    for (const object of controllerRole('serin')) await cluster.apply(object);
    return {
      apiUrl,
      etcdUrl,
      kubeconfigFileOf(person) {
        const found = persons.find(({ name }) => name === person);
        if (!found) throw new Error(`${person} is not among the people of this cluster`);
        return found.file;
      },
      kubeconfig,
      kubeconfigFile: file('serin.kubeconfig'),
      adminKubeconfigFile,
      kubectl: join(dir, 'kubectl'),
      cluster,
      auditLog,
      folder,
      async restartServer() {
        await server.stop();
        server = startServer();
        await serverIsReady();
      },
      async stop() {
        cluster.close();
        await stop();
      },
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Tries again, soon, what cannot be watched: a server that is just starting. */
async function until(server: GuardedProcess, what: string, isSo: () => Promise<boolean>): Promise<void> {
  const deadlineMs = performance.now() + READY_WITHIN_MS;
  let last: unknown = 'not yet';
  while (performance.now() < deadlineMs) {
    if (server.hasExited()) throw new Error(`${server.name} ended before ${what}:\n${server.logTail()}`);
    try {
      if (await isSo()) return;
    } catch (error) {
      last = error;
    }
    await sleep(LOOK_AGAIN_MS);
  }
  throw new Error(`${what}: not within ${READY_WITHIN_MS / 1000} s\n${server.logTail()}`, { cause: last });
}

const kubeconfigOf = (server: string, ca: string, user: string, token: string): string => `apiVersion: v1
kind: Config
current-context: serin
clusters:
  - name: serin
    cluster:
      server: ${server}
      certificate-authority-data: ${ca}
contexts:
  - name: serin
    context:
      cluster: serin
      user: ${user}
      namespace: default
users:
  - name: ${user}
    user:
      token: ${token}
`;
