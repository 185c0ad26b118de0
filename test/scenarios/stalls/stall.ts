import type { Cause } from '../../../src/api/codes/codes.ts';
import type { KubeObject } from '../../../src/api/kube-object.ts';
import type { KubeCluster } from '../../../src/kube/kube-cluster.ts';
import type { HookServer } from '../hook-server.ts';
import { aCanary, aContainer, aDeployment, makeNamespace, push } from '../troubles/objects.ts';
import type { ReportWatch } from '../troubles/report-watch.ts';
import type { MeasuredServer } from './measured-server.ts';

export interface StallFixture {
  cluster: KubeCluster;
  /** Kubeconfig of a user with all rights. */
  kubeconfigFile: string;
  reports: ReportWatch;
  hooks: HookServer;
  /** A Prometheus that gives the answers that a test has set. */
  measured: MeasuredServer;
  /** Takes requests and answers none before `wake`. */
  hangingUrl: string;
  wake(): void;
  /** Grants the refused requests of the controller in this namespace from now on. */
  grant(namespace: string): void;
  /** Sends requests to the application of a namespace until the end. */
  askFor(namespace: string): void;
  /** Runs until every stall has been reported. */
  atEnd(end: () => Promise<void>): void;
}

/** Does what the finding says, literally: by its `command`, by its `change`, or where it gives neither what `action` says of others. */
export type Clear =
  | 'command'
  /** `change` says which field of which object; here is only the value. */
  | { set: unknown | ((fixture: StallFixture) => unknown) }
  | { create(fixture: StallFixture): KubeObject | undefined }
  /** The same object created again, since the field of `change` is immutable. */
  | { anew(): KubeObject }
  | 'remove'
  | { others(fixture: StallFixture): void | Promise<void> }
  /** It blocks nothing: the condition is only shown beside the release. */
  | 'nothing';

export interface Expected {
  /** One of these, where requests to other applications decide which. */
  cause: Cause | readonly Cause[];
  /** Text such as `Canary web: spec.suspend`; for a pod only the kind and the field. */
  proof: RegExp;
  clear: Clear;
  /** Version of the object to change, if its kind does not identify it. */
  apiVersion?: string;
  /** A standing condition that is reported beside it. */
  also?: string;
}

/** One cause for which a release stalls. */
export interface Stall {
  namespace: string;
  /** No controller reports it. */
  unspoken?: true;
  /** A message of the conditions has to match both: why, and since or until when, who or what helps. */
  cause: RegExp;
  remedy: RegExp;
  /** Expected answer of `serin why`. */
  why: Expected;
  run(fixture: StallFixture): Promise<void>;
}

export const APP = 'web';
/** Failed checks that no machine is too slow for. */
export const PATIENT = 10_000;
export const SINCE = 'since \\d{4}-\\d\\d-\\d\\dT';
/** A version that is pushed before the target has gone to zero rolls out beside an old pod, which then stays. */
export const UNREADY =
  'Deployment web: (0 of 1 needed pods are available|unavailable pods: 1; until the new ones are available, old ones stay: 1)';

interface Setting {
  analysis?: object;
  spec?: object;
  env?: Record<string, string>;
  /** Is there before the Canary. */
  before?: KubeObject;
}

/** Namespace, Deployment and Canary, bootstrapped, and a second version pushed. */
export async function released(fixture: StallFixture, namespace: string, { env = {}, ...setting }: Setting = {}): Promise<void> {
  await initialized(fixture, namespace, setting);
  await push(fixture.cluster, namespace, APP, '2', env);
}

/** Bootstrapped. */
export async function initialized({ cluster, reports }: StallFixture, namespace: string, setting: Setting = {}): Promise<void> {
  await begun(cluster, namespace, setting);
  await reports.until(namespace, APP, 'Initialized', ({ phase }) => phase === 'Initialized');
}

export async function begun(cluster: KubeCluster, namespace: string, setting: Setting = {}): Promise<void> {
  await begunWith(cluster, namespace, aDeployment(namespace, APP, setting.env), setting);
}

export async function begunWith(
  cluster: KubeCluster,
  namespace: string,
  target: KubeObject,
  { analysis = {}, spec = {}, before }: Omit<Setting, 'env'> = {},
): Promise<void> {
  await makeNamespace(cluster, namespace);
  if (before) await cluster.create(before);
  await cluster.create(target);
  await cluster.create(aCanary(namespace, APP, analysis, spec));
}

export const deployment = (namespace: string, name = APP) => ({ apiVersion: 'apps/v1', kind: 'Deployment', name, namespace });

/** A version that works, as the field of a change wants it. */
export const aGoodContainer = aContainer('3');
export const aGoodTemplate = { metadata: { labels: { app: APP } }, spec: { containers: [aGoodContainer] } };
