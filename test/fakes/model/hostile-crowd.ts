import v8 from 'node:v8';
import type { KubeObject, ObjectRef } from '../../../src/api/kube-object.ts';
import { refOf } from '../../../src/api/kube-object.ts';
import { APP, aDeployment, aModelCanary, calm, ModelLab, NAMESPACE } from './lab.ts';
import { drawer } from './life.ts';
import { HOSTILE } from './two-tenants.ts';

const MINUTE_MS = 60_000;
const KUBE = 'flagger.app/v1beta1';
const TEXT = 'x'.repeat(20_000);
/** Minutes from one push of the neighbour to the next. */
const RELEASE_MINUTES = 10;

/** Everything on the heap that can be reached, and how much room it takes, after a full collection. */
export interface Heap {
  objects: number;
  bytes: number;
}

export interface Crowd {
  lab: ModelLab;
  /** Actions of the hostile tenant so far. */
  actions(): number;
  /** Endings of the neighbour's releases, in their order. */
  endings: string[];
  /** Passes this number of virtual minutes, at the end of which the tenant has deleted its objects; with a release of the neighbour every ten minutes. */
  pass(minutes: number, isReleasing?: boolean): Promise<void>;
  heap(): Promise<Heap>;
}

/** A neighbour who releases all the time, and a hostile tenant that makes, changes and deletes all that it may. */
export async function hostileCrowd(): Promise<Crowd> {
  // The memory of the server is small beside the possible growth of a controller.
  const lab = new ModelLab({
    draw: drawer(5),
    startUpMs: [200, 4_000],
    lagMs: [0, 2_000],
    latencyMs: [0, 200],
    scaleDownDelayMs: 2_000,
    watchWindow: 10,
  });
  await lab.application();
  lab.watched = false;
  lab.server.create(aModelCanary({ stepWeight: 50, maxWeight: 50 }));
  lab.start();
  await lab.passUntil(() => lab.phase() === 'Initialized', 120_000);
  lab.server.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: HOSTILE } });
  const endings: string[] = [];
  let actions = 0;
  let minute = 0;
  let version = 1;
  let made: ObjectRef[] = [];
  const act = <T>(action: () => T): T | undefined => {
    actions += 1;
    try {
      return action();
    } catch {
      // The API server refuses objects that break their schema: that also counts as an action.
      return undefined;
    }
  };
  const make = (object: KubeObject) => {
    const own = { ...object, metadata: { ...object.metadata, namespace: HOSTILE } } as KubeObject;
    if (act(() => lab.server.create(own))) made.push(refOf(own));
  };
  const attack = () => {
    for (const object of objectsOf(minute)) make(object);
    for (const ref of made.filter(({ kind }) => kind === 'Canary')) {
      act(() =>
        lab.server.patch(ref, { spec: { analysis: { threshold: minute % 7 } }, metadata: { annotations: { [`a-${minute}`]: TEXT } } }),
      );
      act(() =>
        lab.server.patch(
          ref,
          { status: { trackedConfigs: { [`secret/${ref.name}`]: TEXT }, conditions: [], canaryWeight: minute % 100 } },
          'status',
        ),
      );
    }
    for (const ref of made.filter(({ kind }) => kind === 'Secret' || kind === 'ConfigMap'))
      act(() => lab.server.patch(ref, { data: { [`k${minute}`]: 'eA==' } }));
  };
  const leave = () => {
    for (const ref of made) act(() => lab.server.delete(ref));
    made = [];
    // Their time to live has ended.
    for (const [, event] of lab.server.api.store.list('/events')) lab.server.delete(refOf(event as KubeObject));
  };
  return {
    lab,
    actions: () => actions,
    endings,
    async pass(minutes, isReleasing = true) {
      for (let n = 0; n < minutes; n += 1) {
        if (isReleasing && minute % RELEASE_MINUTES === 0) {
          version += 1;
          lab.push(String(version));
        }
        minute += 1;
        attack();
        await lab.pass(MINUTE_MS / 2);
        leave();
        await lab.pass(MINUTE_MS / 2);
        lab.forget();
        if (isReleasing && minute % RELEASE_MINUTES === 0) endings.push(`${lab.phase()} ${version}`);
      }
    },
    async heap() {
      await calm(lab.server);
      // Counting collects all garbage first.
      return { objects: v8.queryObjects(Object, { format: 'count' }), bytes: process.memoryUsage().heapUsed };
    },
  };
}

/** Objects of the tenant in one minute, each with a new name. */
function objectsOf(minute: number): KubeObject[] {
  const metadata = (name: string, of: object = {}) => ({ name: `${name}-${minute}`, namespace: HOSTILE, ...of });
  const analysis = {
    metrics: [{ name: `m-${minute}`, templateRef: { name: `t-${minute}` }, thresholdRange: { min: 1 }, interval: '1s' }],
    webhooks: Array.from({ length: 20 }, (_, n) => ({
      name: `h-${minute}-${n}`,
      type: 'event',
      url: `http://127.0.0.1:${1 + n}/${minute}`,
    })),
    alerts: [{ name: `a-${minute}`, severity: 'info', providerRef: { name: `p-${minute}` } }],
  };
  const canary = (name: string, spec: object = {}): KubeObject => {
    const { metadata: _, ...rest } = aModelCanary(analysis, spec, `${name}-${minute}`);
    return { ...rest, metadata: metadata(name) };
  };
  const { metadata: _, ...deployment } = aDeployment('1', `works-${minute}`);
  return [
    {
      apiVersion: KUBE,
      kind: 'MetricTemplate',
      metadata: metadata('t'),
      spec: { provider: { type: 'prometheus', address: 'http://127.0.0.1:9' }, query: `up{x="${TEXT}"}` },
    },
    {
      apiVersion: KUBE,
      kind: 'AlertProvider',
      metadata: metadata('p'),
      spec: { type: 'slack', address: 'http://127.0.0.1:9/x', channel: 'x' },
    },
    { apiVersion: 'v1', kind: 'Secret', metadata: metadata('s', { labels: { 'serin.dev/secret': 'referenced' } }), data: { a: 'eA==' } },
    { apiVersion: 'v1', kind: 'ConfigMap', metadata: metadata('c'), data: { a: TEXT } },
    { ...deployment, metadata: metadata('works') },
    canary('works'),
    canary('lost'),
    canary('elsewhere', { targetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: `../${NAMESPACE}/${APP}` } }),
    canary('strange', {
      provider: `none-${minute}`,
      autoscalerRef: { apiVersion: 'autoscaling/v2', kind: 'HorizontalPodAutoscaler', name: `h-${minute}` },
    }),
    {
      apiVersion: 'apps/v1',
      kind: 'ControllerRevision',
      metadata: metadata('forged', { labels: { 'serin.dev/record': 'anchor', 'serin.dev/canary': `c-${minute}` } }),
      revision: minute,
      data: { text: TEXT },
    },
    ...Array.from({ length: 20 }, (_, n) => ({
      apiVersion: 'v1',
      kind: 'Event',
      metadata: metadata(`event-${n}`),
      involvedObject: { apiVersion: KUBE, kind: 'Canary', name: `works-${minute}`, namespace: HOSTILE },
      reason: `R${minute}`,
      message: TEXT.slice(0, 1_000),
      type: 'Warning',
    })),
  ];
}
