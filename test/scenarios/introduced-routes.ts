import { isDeepStrictEqual } from 'node:util';
import { describe, expect } from 'vitest';
import { specOf } from '../../src/api/kinds/spec-of.ts';
import { type KubeObject, refOf } from '../../src/api/kube-object.ts';
import { INTRODUCTION } from '../../src/routers/introduction.ts';
import type { Raw } from '../fakes/raw.ts';
import { aController, programOrBroken } from './controller.ts';
import type { Environment } from './environment.ts';
import { eventually } from './eventually.ts';
import type { AppName, ProviderFixture } from './providers/provider-fixture.ts';
import { APP, type Scenario, scenarioTests } from './scenario.ts';
import { ask, type Crowd, startUsers, type Users } from './users.ts';

const OTHER = 'other';
const STEPS = { stepWeight: 50, maxWeight: 50 };
/** A real proxy that does not know a Service refuses requests for some hundredths of a second. */
const CROWD: Crowd = { each: 4, pauseMs: 5 };
/** Answers that have to be good after each change. */
const AFTER = 200;
const FIRST_ANSWERS = 10;
const TIMES = 3;

interface Destination {
  name: string;
  port: number;
}
const PORTS = [80, 81].map((port) => ({ name: `http-${port}`, port, targetPort: 'http' }));
/** The route of the arrival leads to a port that no other route leads to: a proxy knows each port of a Service on its own. */
const FIRST: Destination = { name: APP, port: 80 };
const LATER: Destination = { name: APP, port: 81 };
const ELSEWHERE: Destination = { name: OTHER, port: 80 };

/** A route of one rule, as users of the kind write it. */
const SPECS: Readonly<Record<string, (host: string, to: Destination, parentRefs: unknown) => object>> = {
  HTTPProxy: (fqdn, to) => ({ virtualhost: { fqdn }, routes: [{ services: [to] }] }),
  // With its defaults, which the embedded API server does not write.
  HTTPRoute: (host, to, parentRefs) => ({
    parentRefs,
    hostnames: [host],
    rules: [{ backendRefs: [{ group: '', kind: 'Service', ...to, weight: 1 }] }],
  }),
};

/** DF650 on the data plane of the environment: a route becomes the application's after the arrival, and its users lose no request. */
export function describeIntroducedRoutes(environmentOf: () => Environment, provided: ProviderFixture): void {
  const routes = new UsersRoutes(environmentOf, provided);
  describe(`DF650: users of a ${routes.kind} that becomes the application’s after the arrival lose no request`, () => {
    const controllerOf = aController(environmentOf, programOrBroken());
    const played = (
      title: string,
      namespace: string,
      found: Readonly<Record<string, Destination>>,
      run: (scenario: Scenario) => Promise<void>,
    ) =>
      scenarioTests(environmentOf, controllerOf, routes.fixture(found))(title, `introduced-${namespace}-${routes.kind.toLowerCase()}`, run);

    played('where it is listed later, and no more, again and again', 'listed', { first: FIRST, later: LATER }, async (scenario) => {
      const { given, when, then, namespace } = scenario;
      await given.aDeployment({ service: { ports: PORTS } });
      await given.aCanary(STEPS, routes.listed('first'));
      const theirs = await routes.spec(namespace, 'later');
      const users = await routes.users(namespace, 'first', 'later');
      for (let time = 0; time < TIMES; time += 1) {
        await when.canaryIsEdited(routes.listed('first', 'later'));
        await routes.leads(namespace, 'later', `${APP}-primary`);
        await users.holds(`after it was listed, ${time}`);
        await when.canaryIsEdited(routes.listed('first'));
        await routes.isTheirs(namespace, 'later', theirs);
        await users.holds(`after it was listed no more, ${time}`);
      }
      await when.canaryIsDeleted();
      await then.isGone('apps/v1', 'Deployment', `${APP}-primary`);
      await users.stop();
    });

    played('where it is listed in the middle of a release', 'in-release', { first: FIRST, later: LATER }, async (scenario) => {
      const { given, when, then, namespace } = scenario;
      await given.aDeployment({ service: { ports: PORTS } });
      await given.aCanary({ ...STEPS, webhooks: given.aClosedGate() }, routes.listed('first'));
      const theirs = await routes.spec(namespace, 'later');
      const users = await routes.users(namespace, 'first', 'later');
      await when.imageChanges('2');
      await then.canaryReceives(50);
      await when.canaryIsEdited(routes.listed('first', 'later'));
      await routes.leads(namespace, 'later', `${APP}-canary`);
      await users.holds('after it was listed');
      when.gateOpens('finish');
      await then.releaseEnds('Succeeded');
      await users.holds('after the promotion');
      await when.canaryIsDeleted();
      await routes.isTheirs(namespace, 'later', theirs);
      await then.isGone('apps/v1', 'Deployment', `${APP}-primary`);
      await users.stop();
      expect(users.versions('later')).toEqual(['1', '2']);
    });

    // By the last two proxies know the Services that its user names, so that nothing is lost by the edit itself.
    const found = { first: FIRST, edited: ELSEWHERE, beside: LATER, elsewhere: ELSEWHERE };
    played('where its user edits it to lead to the application, again and again', 'edited', found, async (scenario) => {
      const { given, when, then, namespace } = scenario;
      await given.aDeployment({ service: { ports: PORTS } });
      await given.aCanary(STEPS, routes.listed('first'));
      const others = await routes.users(namespace, 'first', 'beside');
      await when.canaryIsEdited(routes.listed('first', 'edited'));
      for (let time = 0; time < TIMES; time += 1) {
        await routes.edit(namespace, 'edited', ELSEWHERE);
        await routes.answers(namespace, 'edited', OTHER);
        // Not before: with the route, a proxy forgets the sides, and what is lost by that is its user's doing.
        const users = await routes.users(namespace, 'edited');
        await routes.edit(namespace, 'edited', LATER);
        await routes.leads(namespace, 'edited', `${APP}-primary`);
        await users.stop(`after its user has led it to the application, ${time}`);
        expect(users.versions('edited')).toEqual(['1', OTHER]);
      }
      const users = await routes.users(namespace, 'edited');
      await when.canaryIsDeleted();
      await then.isGone('apps/v1', 'Deployment', `${APP}-primary`);
      await users.stop();
      await others.stop();
    });

    played('where it is made later', 'made', { first: FIRST, beside: LATER }, async (scenario) => {
      const { given, when, then, namespace } = scenario;
      await given.aDeployment({ service: { ports: PORTS } });
      await given.aCanary(STEPS, routes.listed('first', 'made'));
      const theirs = await routes.create(namespace, 'made');
      const users = await routes.users(namespace, 'first', 'beside', 'made');
      await routes.leads(namespace, 'made', `${APP}-primary`);
      await users.holds('after it was made');
      await when.canaryIsDeleted();
      await routes.isTheirs(namespace, 'made', theirs);
      await then.isGone('apps/v1', 'Deployment', `${APP}-primary`);
      await users.stop();
    });
  });
}

/** The routes of the scenario, each of one rule and with a host of its own, and their users. */
class UsersRoutes {
  readonly #environmentOf: () => Environment;
  readonly #provided: ProviderFixture;

  constructor(environmentOf: () => Environment, provided: ProviderFixture) {
    this.#environmentOf = environmentOf;
    this.#provided = provided;
  }

  get kind(): string {
    return this.#provided.route({ name: APP, namespace: '' }).kind;
  }

  /** `found`: routes before the Canary, with the Services that they lead to. */
  fixture(found: Readonly<Record<string, Destination>>): ProviderFixture {
    const { service: _, ...provided } = this.#provided;
    return {
      ...provided,
      objects: (app) => [
        ...(provided.objects?.(app) ?? []).filter(({ kind }) => kind !== this.kind),
        ...otherApplication(app.namespace),
        ...Object.entries(found).map(([name, to]) => this.#route(app.namespace, name, to)),
      ],
      host: ({ namespace }) => hostOf(namespace, 'first'),
    };
  }

  listed(...names: string[]): { routeRefs: object[] } {
    const { apiVersion } = this.#provided.route({ name: APP, namespace: '' });
    return { routeRefs: names.map((name) => ({ apiVersion, kind: this.kind, name })) };
  }

  async create(namespace: string, name: string): Promise<object> {
    return specOf<Raw>(await this.#environmentOf().cluster.create(this.#route(namespace, name, LATER)));
  }

  async edit(namespace: string, name: string, to: Destination): Promise<void> {
    const { spec, ...route } = this.#route(namespace, name, to) as Raw;
    await this.#environmentOf().cluster.patch(refOf(route as KubeObject), { spec });
  }

  /** Waits until this route leads to the Service, and no introduction is left. */
  async leads(namespace: string, name: string, service: string): Promise<void> {
    await eventually(
      `${this.kind} ${name} leads to ${service}`,
      async () => JSON.stringify(await this.spec(namespace, name)),
      (spec) => spec.includes(`"name":"${service}"`) && !spec.includes(INTRODUCTION),
    );
  }

  /** Waits until it is what its user has written. */
  async isTheirs(namespace: string, name: string, theirs: object): Promise<void> {
    await eventually(
      `${this.kind} ${name} is its user’s`,
      () => this.spec(namespace, name),
      (spec) => isDeepStrictEqual(spec, theirs),
    );
  }

  /** Waits until each proxy has this version answer. */
  async answers(namespace: string, name: string, version?: string): Promise<void> {
    const host = hostOf(namespace, name);
    for (const url of this.#environmentOf().mesh.urls)
      await eventually(
        `${host} is answered`,
        () => ask(url, host, this.#headers(namespace)),
        (answered) => answered.status === 200 && (version ?? answered.version) === answered.version,
      );
  }

  /** Users of these routes, who have got their first answers. */
  async users(namespace: string, ...names: string[]) {
    const users = new Map<string, Users>();
    for (const name of names) {
      await this.answers(namespace, name);
      users.set(name, startUsers(this.#environmentOf().mesh.urls, hostOf(namespace, name), this.#headers(namespace), CROWD));
    }
    await Promise.all([...users.values()].map((each) => each.pace(FIRST_ANSWERS)));
    const nothingWasLost = (moment: string) =>
      expect(Object.fromEntries([...users].map(([name, each]) => [name, each.lost()])), moment).toEqual(
        Object.fromEntries(names.map((name) => [name, []])),
      );
    return {
      versions: (name: string) => Object.keys(users.get(name)?.byVersion() ?? {}).sort(),
      async holds(moment: string) {
        await Promise.all([...users.values()].map((each) => each.pace(AFTER)));
        nothingWasLost(moment);
      },
      async stop(moment = 'after the Canary') {
        await Promise.all([...users.values()].map((each) => each.pace(AFTER)));
        await Promise.all([...users.values()].map((each) => each.stop()));
        nothingWasLost(moment);
      },
    };
  }

  #headers(namespace: string): Record<string, string> {
    return this.#provided.headers?.({ name: APP, namespace }) ?? {};
  }

  async spec(namespace: string, name: string): Promise<object> {
    return specOf<Raw>(await this.#environmentOf().cluster.get(refOf(this.#route(namespace, name, LATER))));
  }

  #route(namespace: string, name: string, to: Destination): KubeObject {
    const app: AppName = { name: APP, namespace };
    const { apiVersion } = this.#provided.route(app);
    const { gatewayRefs } = (this.#provided.service?.(app) ?? {}) as Raw;
    const spec = SPECS[this.kind]?.(hostOf(namespace, name), to, gatewayRefs);
    if (spec === undefined) throw new Error(`no routes of users of kind ${this.kind}`);
    return { apiVersion, kind: this.kind, metadata: { name, namespace }, spec } as KubeObject;
  }
}

const hostOf = (namespace: string, name: string): string => `${name}.${namespace}.example.org`;

/** The Service that a route leads to before it leads to the application. */
function otherApplication(namespace: string): KubeObject[] {
  const labels = { app: OTHER };
  const metadata = { name: OTHER, namespace };
  const containers = [{ name: 'web', image: `${OTHER}:${OTHER}`, ports: [{ name: 'http', containerPort: 9898 }] }];
  const spec = { replicas: 1, selector: { matchLabels: labels }, template: { metadata: { labels }, spec: { containers } } };
  return [
    { apiVersion: 'apps/v1', kind: 'Deployment', metadata, spec } as KubeObject,
    { apiVersion: 'v1', kind: 'Service', metadata, spec: { selector: labels, ports: PORTS } } as KubeObject,
  ];
}
