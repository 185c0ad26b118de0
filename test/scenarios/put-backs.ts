import { expect, it } from 'vitest';
import { adoptAnnotation, splitAnnotation } from '../../src/api/adopt-annotation.ts';
import type { KubeObject, ObjectRef } from '../../src/api/kube-object.ts';
import { isIntroduction } from '../../src/routers/introduction.ts';
import { type Raw, raw } from '../fakes/raw.ts';
import { startController } from './controller.ts';
import type { Environment } from './environment.ts';
import { eventually } from './eventually.ts';
import { askAt } from './route-rows.ts';
import type { Edge } from './routed-worlds.ts';
import { namespacesFor } from './shares/split-app.ts';

const APP = 'shop';
const NAMESPACE = 'put-backs';
const HOST = `shop.${NAMESPACE}.example.org`;
const PATHS = ['/', '/', '/', '/static'];
const PUT_BACKS = 4;
/** Answers to users in a moment, so that a request is under way at any time. */
const ANSWERS = 2_000;

const canaryRef: ObjectRef = { apiVersion: 'flagger.app/v1beta1', kind: 'Canary', name: APP, namespace: NAMESPACE };
const targetRef: ObjectRef = { apiVersion: 'apps/v1', kind: 'Deployment', name: APP, namespace: NAMESPACE };
const say = (line: string): void => void process.stdout.write(`${line}\n`);

/**
 * Users send requests all the time, while a route leads to Services that its proxy did not know before. Requests that the put-back itself loses are printed.
 */
export function playPutBacks(environmentOf: () => Environment, edge: Edge): void {
  it(`DF867: no request is lost where Serin splits a ${edge.kind} again, hands it back or gives it up`, async () => {
    const environment = environmentOf();
    const { cluster, mesh } = environment;
    const route = routeOf(edge);
    const ref: ObjectRef = { apiVersion: route.apiVersion, kind: route.kind, name: APP, namespace: NAMESPACE };
    await namespacesFor(cluster, [NAMESPACE]);
    for (const object of [...application(), marked(route, { [adoptAnnotation]: 'true' })])
      await cluster.apply(object, { fieldManager: 'user' });
    const users = new Users(edge);
    await users.areServed();
    const status = async (): Promise<Raw> => raw(await cluster.get(canaryRef))?.status ?? {};
    const rules = async (): Promise<Raw[]> => {
      const { routes, rules = routes } = raw(await cluster.get(ref))?.spec ?? {};
      return rules;
    };
    const isSplit = async () => {
      const now = await rules();
      return JSON.stringify(now).includes(`${APP}-primary`) && JSON.stringify(now).includes('static') && !now.some(isIntroduction);
    };
    const isKnown = async () => {
      const live = await cluster.get(ref);
      return live !== undefined && mesh.knows(live);
    };
    const isAt = (phase: string) => async () => {
      const { release, ...now } = await status();
      return now.phase === phase && release?.step === 'resting';
    };
    const controller = startController(environment, { namespace: NAMESPACE });
    try {
      expect(
        await users.lostWhile(async () => {
          await cluster.create(canaryOf(edge));
          await eventually('it has arrived', isAt('Initialized'));
        }),
      ).toEqual([]);
      const handedBack = await users.lostWhile(async () => {
        await cluster.patch(ref, { metadata: { annotations: { [adoptAnnotation]: null, [splitAnnotation]: 'true' } } });
        await eventually('the route is split', isSplit);
      });
      const splitAgain: unknown[] = [];
      const putBack = async () => {
        controller.send('STOP');
        const lost = await users.lostWhile(async () => {
          await cluster.apply(marked(route, { [splitAnnotation]: 'true' }), { fieldManager: 'user', force: true });
          await eventually('proxies know the manifest', isKnown);
        });
        say(`put back: ${lost.length} lost; ${users.asked} asked so far`);
        splitAgain.push(
          ...(await users.lostWhile(async () => {
            controller.send('CONT');
            await eventually('the route is split again', isSplit);
          })),
        );
      };
      for (let time = 0; time < PUT_BACKS; time += 1) await putBack();
      const template = { spec: { containers: [containerOf('2')] } };
      await cluster.patch(targetRef, { spec: { template } });
      await eventually('the canary has its share', async () => (await status()).canaryWeight === 50);
      await putBack();
      const promoted = await users.lostWhile(() => eventually('the release is over', isAt('Succeeded')));
      const left = await users.lostWhile(async () => {
        await cluster.delete(canaryRef);
        await eventually('the Canary is gone', async () => (await cluster.get(canaryRef)) === undefined);
        await eventually('proxies know the route', isKnown);
      });
      expect({ handedBack, splitAgain, promoted, left }, controller.logFile).toEqual({
        handedBack: [],
        splitAgain: [],
        promoted: [],
        left: [],
      });
    } finally {
      controller.send('CONT');
      await users.stop();
      await controller.stop();
    }
  });
}

class Users {
  readonly #edge: Edge;
  readonly #clients: Promise<void>[];
  #isOver = false;
  #lost: string[] = [];
  asked = 0;

  constructor(edge: Edge) {
    this.#edge = edge;
    this.#clients = PATHS.map((path) => this.#client(path));
  }

  areServed(): Promise<unknown> {
    return eventually(
      'users are served',
      () => Promise.all(PATHS.map((path) => this.#ask(path))),
      (all) => all.every((status) => status === 200),
    );
  }

  async lostWhile(act: () => Promise<unknown>): Promise<string[]> {
    this.#lost = [];
    await act();
    const most = this.asked + ANSWERS;
    await eventually('requests are answered', () => this.asked > most);
    return this.#lost;
  }

  async stop(): Promise<void> {
    this.#isOver = true;
    await Promise.all(this.#clients);
  }

  async #client(path: string): Promise<void> {
    while (!this.#isOver) {
      const status = await this.#ask(path);
      this.asked += 1;
      if (status !== 200) this.#lost.push(`${status} ${path}`);
    }
  }

  /** Status 0: no answer. */
  async #ask(path: string): Promise<number> {
    const url = this.#edge.url({ host: HOST, path, headers: {} });
    const { status } = await askAt(url, { host: HOST }, { path }).catch(() => ({ status: 0 }));
    return status;
  }
}

const marked = (route: KubeObject, annotations: Record<string, string>): KubeObject => ({
  ...route,
  metadata: { ...route.metadata, annotations },
});

function routeOf({ kind, gateway }: Edge): KubeObject {
  const metadata = { name: APP, namespace: NAMESPACE };
  const services = ['static', APP].map((name) => ({ name, prefix: name === APP ? '/' : '/static' }));
  if (kind === 'HTTPProxy') {
    const routes = services.map(({ name, prefix }) => ({ conditions: [{ prefix }], services: [{ name, port: 80 }] }));
    return { apiVersion: 'projectcontour.io/v1', kind, metadata, spec: { virtualhost: { fqdn: HOST }, routes } };
  }
  const rules = services.map(({ name, prefix }) => ({
    matches: [{ path: { type: 'PathPrefix', value: prefix } }],
    backendRefs: [{ group: '', kind: 'Service', name, port: 80, weight: 1 }],
  }));
  const parentRefs = [{ group: 'gateway.networking.k8s.io', kind: 'Gateway', ...gateway }];
  return { apiVersion: 'gateway.networking.k8s.io/v1', kind, metadata, spec: { parentRefs, hostnames: [HOST], rules } };
}

function application(): KubeObject[] {
  return [APP, 'static'].flatMap((name): KubeObject[] => {
    const metadata = { name, namespace: NAMESPACE };
    const labels = { app: name };
    const template = { metadata: { labels }, spec: { containers: [containerOf(name === APP ? '1' : name)] } };
    return [
      { apiVersion: 'apps/v1', kind: 'Deployment', metadata, spec: { replicas: 1, selector: { matchLabels: labels }, template } },
      { apiVersion: 'v1', kind: 'Service', metadata, spec: { selector: labels, ports: [{ name: 'http', port: 80, targetPort: 8080 }] } },
    ];
  });
}

const containerOf = (version: string) => ({ name: 'app', image: `web:${version}`, ports: [{ name: 'http', containerPort: 8080 }] });

function canaryOf({ kind, gateway }: Edge): KubeObject {
  return {
    ...{ apiVersion: canaryRef.apiVersion, kind: 'Canary', metadata: { name: APP, namespace: NAMESPACE } },
    spec: {
      provider: kind === 'HTTPProxy' ? 'contour' : 'gatewayapi:v1',
      targetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: APP },
      service: { port: 80, targetPort: 8080, ...(gateway && { gatewayRefs: [gateway], hosts: [HOST] }) },
      analysis: { interval: '3s', threshold: 2, stepWeights: [50] },
    },
  };
}
