import type { Installed } from './installed.ts';
import type { RealNode } from './real-node.ts';

export type Behaviour = 'good' | 'failing' | 'slow' | 'unready' | 'exits' | 'leaks' | 'broken';

/** An application of `images/application` with its Canary, in a namespace of its own: Blue/Green by plain Services. */
export interface Application {
  readonly namespace: string;
  /** Address of its Service. */
  url(): Promise<string>;
  /** Changes its version. */
  release(version: string, behaviour: Behaviour): Promise<void>;
  /** Waits until it has taken over what was applied, or until its release has ended. */
  waitFor(what: 'initialized' | 'the end'): Promise<void>;
  /** Waits until its analysis has had as many. */
  hasChecks(count: number): Promise<unknown>;
  phase(): Promise<string>;
  /** Message of the condition Promoted. */
  message(): Promise<string>;
}

export const versionOf = (text: string): string => (JSON.parse(text) as { version: string }).version;

const labels = { app: 'shop' };

/** Spreads its pods: one on each node, if possible. */
export const SPREAD = {
  topologySpreadConstraints: [
    {
      maxSkew: 1,
      topologyKey: 'kubernetes.io/hostname',
      whenUnsatisfiable: 'ScheduleAnyway',
      labelSelector: { matchLabels: labels },
    },
  ],
};

export interface ApplicationOptions {
  /** Checks of 10 s in the analysis. Default: 3. */
  iterations?: number;
  kind?: 'Deployment' | 'DaemonSet';
  /** Environment of its container, besides its version and behaviour. */
  env?: Readonly<Record<string, string>>;
  /** Fields of its pods beside the container. */
  pod?: object;
  /** Fields of its container. */
  container?: object;
  /** Fields of the Canary's spec; of its analysis. */
  canary?: object;
  analysis?: object;
  /** Applied before the Canary, in its namespace. */
  beside?: readonly { metadata: { name: string } }[];
}

const REPLICAS = 2;

/** Applies it in a new namespace, with its Canary: Blue/Green by plain Services, unless its options say otherwise. */
export async function anApplication(
  node: RealNode,
  installed: Pick<Installed, 'apply' | 'serin'>,
  namespace: string,
  options: ApplicationOptions = {},
): Promise<Application> {
  const { iterations = 3, kind = 'Deployment', env = {}, pod = {}, container = {}, canary: more = {}, beside = [] } = options;
  const { analysis = { iterations } } = options;
  const workload = (version: string, behaviour: Behaviour) => ({
    apiVersion: 'apps/v1',
    kind,
    metadata: { name: 'shop', namespace },
    spec: {
      ...(kind === 'Deployment' ? { replicas: REPLICAS } : {}),
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: {
          ...pod,
          containers: [
            {
              name: 'web',
              image: 'serin.test/application:1',
              imagePullPolicy: 'Never',
              env: Object.entries({ ...env, VERSION: version, BEHAVIOUR: behaviour }).map(([name, value]) => ({ name, value })),
              ports: [{ name: 'http', containerPort: 8080 }],
              resources: { requests: { cpu: '20m', memory: '16Mi' }, limits: { memory: '64Mi' } },
              readinessProbe: { httpGet: { path: '/ready', port: 'http' }, periodSeconds: 1 },
              ...container,
            },
          ],
        },
      },
    },
  });
  const canary = {
    apiVersion: 'flagger.app/v1beta1',
    kind: 'Canary',
    metadata: { name: 'shop', namespace },
    spec: {
      provider: 'kubernetes',
      targetRef: { apiVersion: 'apps/v1', kind, name: 'shop' },
      progressDeadlineSeconds: 60,
      service: { port: 80, targetPort: 'http' },
      analysis: { interval: '10s', threshold: 2, ...analysis },
      ...more,
    },
  };
  const others = beside.map((object) => ({ ...object, metadata: { ...object.metadata, namespace } }));
  await installed.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } }, ...others, workload('1', 'good'));
  await installed.apply(canary);
  const read = (path: string, kind: string) => node.kubectl('get', kind, 'shop', '-n', namespace, '-o', `jsonpath={${path}}`);
  return {
    namespace,
    url: async () => `http://${await read('.spec.clusterIP', 'service')}/`,
    release: (version, behaviour) => installed.apply(workload(version, behaviour)),
    async waitFor(what) {
      const until = what === 'initialized' ? ['--for', 'initialized'] : ['--revision', 'target'];
      const { code, said, complained } = await installed.serin('wait', 'shop', '--namespace', namespace, ...until, '--timeout', '6m');
      // A failed release is also an end.
      if (code !== 0 && (await read('.status.phase', 'canary')) !== 'Failed') throw new Error(`${namespace}: ${said}${complained}`);
    },
    hasChecks: (count) =>
      node.kubectl('wait', 'canary/shop', '-n', namespace, `--for=jsonpath={.status.iterations}=${count}`, '--timeout=180s'),
    phase: () => read('.status.phase', 'canary'),
    message: () => read('.status.conditions[?(@.type=="Promoted")].message', 'canary'),
  };
}
