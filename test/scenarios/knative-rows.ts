import { expect, it } from 'vitest';
import { asKnativeService } from '../../src/api/kinds/knative-service.ts';
import type { KubeObject } from '../../src/api/kube-object.ts';
import { eventually } from './eventually.ts';
import { knativeTemplate } from './kinds/knative.ts';
import { block, written } from './knative-traffic-cases.ts';
import { canaryFor, parsed } from './providers/canary-for.ts';
import { knative } from './providers/knative.ts';
import type { ShareEnvironment } from './shares/share-environment.ts';
import { namespacesFor, routerOf } from './shares/split-app.ts';
import { until } from './until.ts';
import { afterAll, beforeAll } from './world.ts';

const NAMESPACE = 'rows';
const apiVersion = 'serving.knative.dev/v1';
const SERVICE = { apiVersion, kind: 'Service', name: 'web', namespace: NAMESPACE };
/** Traffic in the status before each row. */
const BEFORE = 'web-00001=100';
const READY = 'True';
const MERGED = 'Unknown TrafficNotMigrated';
const LATER = 'Unknown IngressNotConfigured';

interface Row {
  what: string;
  traffic: string;
  /** `status.traffic`; default: the requested traffic. */
  becomes?: string;
  /** Status and reason of the condition RoutesReady. */
  routes: string;
  /** The result of Serin's router. */
  isInForce: boolean;
}

/** The third of three Revisions is never ready. */
const ROWS: readonly Row[] = [
  { what: 'two revisions', traffic: 'web-00002=20 web-00001=80', routes: READY, isInForce: true },
  { what: 'a share of nothing without a tag', traffic: 'web-00002=100 web-00001=0', routes: READY, isInForce: true },
  { what: 'tags', traffic: 'web-00002#now=100 web-00001#old=0', routes: READY, isInForce: true },
  { what: 'one revision twice, by its tags', traffic: 'web-00001#a=30 web-00001#b=70', routes: READY, isInForce: true },
  {
    what: 'two entries of one revision become one, and the Service is not ready while they stand',
    traffic: 'web-00002=20 web-00002=80',
    becomes: 'web-00002=100',
    routes: MERGED,
    isInForce: true,
  },
  {
    what: 'the latest one is the latest that is ready',
    traffic: '@=60 web-00001=40',
    becomes: '@web-00002=60 web-00001=40',
    routes: READY,
    isInForce: false,
  },
  {
    what: 'a revision that does not exist holds up the others, also without a share',
    traffic: 'web-00002=100 web-00099#lost=0',
    becomes: BEFORE,
    routes: 'False RevisionMissing',
    isInForce: false,
  },
  {
    what: 'a revision that is not ready holds up the others, also without a share',
    traffic: 'web-00002=100 web-00003#next=0',
    becomes: BEFORE,
    routes: 'Unknown RevisionMissing',
    isInForce: false,
  },
];

/** Results of a traffic block, by the status of the Service. */
export function describeKnativeRows(start: () => Promise<ShareEnvironment>): void {
  let environment: ShareEnvironment;
  beforeAll(async () => {
    environment = await start();
    const { cluster } = environment;
    await namespacesFor(cluster, [NAMESPACE]);
    await cluster.create(aService('web'));
    for (const version of ['2', '3']) {
      const ready = Number(version) - 1;
      await until(cluster, SERVICE, 'has its revision', (now) => statusOf(now).latestReadyRevisionName === `web-0000${ready}`);
      await cluster.patch(SERVICE, { spec: { template: knativeTemplate(version, version === '3' ? { NEVER_READY: '1' } : {}) } });
    }
    await until(cluster, SERVICE, 'has its third revision', (now) => statusOf(now).latestCreatedRevisionName === 'web-00003');
  }, 60_000);
  afterAll(() => environment?.stop());

  const routed = async (traffic: string, routes: string): Promise<KubeObject> => {
    await environment.cluster.patch(SERVICE, { spec: { traffic: block(traffic) } });
    const now = await until(
      environment.cluster,
      SERVICE,
      `has RoutesReady ${routes}`,
      (seen) => isObserved(seen) && routesOf(seen) === routes,
    );
    if (now === undefined) throw new Error('it is gone');
    return now;
  };

  it.each(ROWS)('$what', async ({ traffic, becomes = traffic, routes, isInForce }) => {
    await routed(BEFORE, READY);
    const now = await routed(traffic, routes);
    expect(shownOf(now)).toBe(becomes);
    expect(isInForceOf(now)).toBe(isInForce);
  });

  it('the address of a tag begins with it', async () => {
    const now = await routed('web-00001#old=100', READY);
    expect(statusOf(now).traffic).toMatchObject([{ url: 'http://old-web.rows.svc.cluster.local' }]);
  });

  it('a change of the traffic makes no Revision, and neither does its reversal', async () => {
    const now = await routed(BEFORE, READY);
    expect(statusOf(now)).toMatchObject({ latestCreatedRevisionName: 'web-00003', latestReadyRevisionName: 'web-00002' });
  });

  it('the status names the traffic before a gateway uses it, and it is not in force', async () => {
    const { cluster } = environment;
    const held = { ...SERVICE, name: 'held' };
    const annotations = { 'networking.knative.dev/ingress.class': 'others.ingress.networking.knative.dev' };
    await cluster.create(aService('held', annotations));
    await until(cluster, held, 'has its revision', (now) => statusOf(now).latestReadyRevisionName === 'held-00001');
    await cluster.patch(held, { spec: { traffic: block('held-00001=100') } });
    const now = await until(cluster, held, 'names its traffic', (seen) => isObserved(seen) && shownOf(seen) === 'held-00001=100');
    await eventually('the condition says so', async () => routesOf(await cluster.get(held)) === LATER);
    expect(isInForceOf(now, 'held')).toBe(false);
  });
}

const aService = (name: string, annotations: Record<string, string> = {}): KubeObject => ({
  apiVersion,
  kind: 'Service',
  metadata: { name, namespace: NAMESPACE, annotations },
  spec: { template: knativeTemplate('1') },
});

const statusOf = (service: KubeObject | undefined) => (service && asKnativeService(service).status) ?? {};
const isObserved = (service: KubeObject | undefined): service is KubeObject =>
  service !== undefined && statusOf(service).observedGeneration === service.metadata.generation;

function routesOf(service: KubeObject | undefined): string {
  const { status, reason } = statusOf(service).conditions?.find(({ type }) => type === 'RoutesReady') ?? {};
  return [status, reason].filter(Boolean).join(' ');
}

/** As `written`, with the revision of the latest one. */
const shownOf = (service: KubeObject): string =>
  (statusOf(service).traffic ?? [])
    .map((target) => (target.latestRevision ? `@${written([{ ...target, latestRevision: false }])}` : written([target])))
    .join(' ');

function isInForceOf(service: KubeObject | undefined, name = 'web'): boolean | undefined {
  const canary = parsed(canaryFor(knative, { name, namespace: NAMESPACE }, {}));
  return service && routerOf(knative).isInForce?.(canary, [service]);
}
