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
  phase(): Promise<string>;
}

export const versionOf = (text: string): string => (JSON.parse(text) as { version: string }).version;

const labels = { app: 'shop' };

export interface ApplicationOptions {
  /** Beside its version and behaviour. */
  env?: Readonly<Record<string, string>>;
  /** Into the spec of its pods, and of their container. */
  pod?: object;
  container?: object;
  /** Into the spec of its Canary; into that of its analysis. */
  canary?: object;
  analysis?: object;
  /** In its namespace before the Canary is there. */
  beside?: readonly object[];
}

/** `iterations`: checks of 10 s in the analysis. */
export async function anApplication(
  node: RealNode,
  installed: Pick<Installed, 'apply' | 'serin'>,
  namespace: string,
  iterations = 3,
  { env = {}, pod = {}, container = {}, canary: ofCanary = {}, analysis = { iterations }, beside = [] }: ApplicationOptions = {},
): Promise<Application> {
  const deployment = (version: string, behaviour: Behaviour) => ({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'shop', namespace },
    spec: {
      replicas: 2,
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: {
          containers: [
            {
              name: 'web',
              image: 'serin.test/application:1',
              imagePullPolicy: 'Never',
              env: Object.entries({ ...env, VERSION: version, BEHAVIOUR: behaviour }).map(([name, value]) => ({ name, value })),
              ports: [{ name: 'http', containerPort: 8080 }],
              resources: { requests: { cpu: '5m', memory: '16Mi' }, limits: { memory: '64Mi' } },
              readinessProbe: { httpGet: { path: '/ready', port: 'http' }, periodSeconds: 1 },
              ...container,
            },
          ],
          ...pod,
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
      targetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'shop' },
      progressDeadlineSeconds: 60,
      service: { port: 80, targetPort: 'http' },
      analysis: { interval: '10s', threshold: 2, ...analysis },
      ...ofCanary,
    },
  };
  await installed.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } }, deployment('1', 'good'), ...beside);
  await installed.apply(canary);
  const read = (path: string, kind: string) => node.kubectl('get', kind, 'shop', '-n', namespace, '-o', `jsonpath={${path}}`);
  return {
    namespace,
    url: async () => `http://${await read('.spec.clusterIP', 'service')}/`,
    release: (version, behaviour) => installed.apply(deployment(version, behaviour)),
    async waitFor(what) {
      const until = what === 'initialized' ? ['--for', 'initialized'] : ['--revision', 'target'];
      const { code, said, complained } = await installed.serin('wait', 'shop', '--namespace', namespace, ...until, '--timeout', '6m');
      // A release that has failed is an end, too.
      if (code !== 0 && (await read('.status.phase', 'canary')) !== 'Failed') throw new Error(`${namespace}: ${said}${complained}`);
    },
    phase: () => read('.status.phase', 'canary'),
  };
}
