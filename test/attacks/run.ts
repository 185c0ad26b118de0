import { readFileSync, rmSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { loadConnection } from '../../src/kube/connect.ts';
import { createCluster } from '../../src/kube/create-cluster.ts';
import type { KubeCluster } from '../../src/kube/kube-cluster.ts';
import { freePort } from '../e2e/free-port.ts';
import { kubeconfigOf } from '../scenarios/account.ts';
import { type ControllerProcess, newLogFile, startController } from '../scenarios/controller.ts';
import { type Environment, peopleFileOf } from '../scenarios/environment.ts';
import { eventually } from '../scenarios/eventually.ts';
import { makeNamespace } from '../scenarios/troubles/objects.ts';
import { ReportWatch } from '../scenarios/troubles/report-watch.ts';
import type { Attack, AttackClass } from './run/attack.ts';
import { LEASE_NAMESPACE, leadsIn, watchHealth } from './run/health.ts';
import { leaksIn, readable } from './run/leaks.ts';
import { json, type Listener, listenAt } from './run/listener.ts';
import { Neighbour, type Release, SHOP } from './run/neighbour.ts';
import { type Field, Tenant } from './run/tenant.ts';

const AT_ONCE = 8;
const CLASS_MS = 600_000;
/** A class can make releases this many times longer than calm ones: the attacker's load also uses the machine and the embedded cluster. */
const MOST_LONGER = 4;
/** Only these attacks or classes, by `ATTACK=EGR-03,ROW`: to find which attack of a class broke a check. */
const chosen = process.env.ATTACK?.split(',');
const isChosen = ({ id }: Attack) => chosen === undefined || chosen.some((one) => id === one || id.startsWith(`${one}-`));

interface Played {
  outcomes: Map<string, unknown>;
  releases: Release[];
  problems: Record<string, unknown>;
}

/** The hostile tenant makes every attack of each class while a neighbour releases; then what both have is compared with what they should. */
export function describeAttacks(environmentOf: () => Environment, classes: readonly AttackClass[]): void {
  describe('attacks of a tenant', () => {
    let neighbour: Neighbour;
    let calm: Release;
    let operator: Listener;
    let own: Listener;
    let internal: Listener;
    let reports: ReportWatch;
    const markers = new Map<string, string>();
    let slackPath = '';
    let inside = '';
    let port = 0;
    /** Times that controllers had begun to lead before the last controller was started. */
    let leads = 0;
    const logFile = newLogFile();

    const plant = (where: string): string => {
      const value = `operator-plant-${markers.size}-${Math.random().toString(36).slice(2, 10)}`;
      markers.set(value, where);
      return value;
    };
    const start = async (flags: Record<string, string> = {}): Promise<ControllerProcess> => {
      port = await freePort();
      leads = leadsIn(logFile);
      const given = {
        port: String(port),
        'mesh-provider': 'kubernetes',
        // The operator's flag: measured also where values of other loopback addresses are not.
        'metrics-server': operator.url('/shop/prom'),
        'allowed-addresses': '127.0.0.1,127.0.0.66',
        'enable-leader-election': 'true',
        'leader-election-namespace': LEASE_NAMESPACE,
        'slack-url': operator.url(`/slack/${slackPath}`),
        'slack-channel': 'releases',
        ...flags,
      };
      return startController(environmentOf(), given, logFile);
    };

    beforeAll(async () => {
      const environment = environmentOf();
      slackPath = plant('the address of --slack-url');
      inside = plant('an answer of an inner server');
      operator = await listenAt('127.0.0.1');
      own = await listenAt('127.0.0.66');
      internal = await listenAt('127.0.0.9', json({ status: 'error', error: inside, secret: inside }, 418));
      await makeNamespace(environment.cluster, LEASE_NAMESPACE);
      const data = { token: Buffer.from(plant('a Secret beside the controller')).toString('base64') };
      await environment.cluster.create({
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { name: 'serin-keys', namespace: LEASE_NAMESPACE },
        data,
      });
      const [user] = parse(readFileSync(environment.kubeconfigFile, 'utf8')).users;
      if (user.user.token !== undefined) markers.set(user.user.token, 'the token of the controller');
      reports = new ReportWatch(environment.cluster);
      await reports.synced;
      neighbour = new Neighbour(environment, operator);
      const controller = await start();
      try {
        await neighbour.moveIn();
        await neighbour.settles();
        calm = await neighbour.releasesWell();
      } finally {
        await controller.stop();
      }
      for (const [marker, where] of neighbour.markers) markers.set(marker, `the neighbour's ${where}`);
    }, CLASS_MS);
    afterAll(async () => {
      reports?.stop();
      await neighbour?.moveOut();
      for (const listener of [operator, own, internal]) await listener?.stop();
    });

    async function play(played: AttackClass, attacks: readonly Attack[]): Promise<Played> {
      const environment = environmentOf();
      const { cluster } = environment;
      const namespace = `evil-${played.name}`;
      await makeNamespace(cluster, namespace);
      const { client, close } = await hostileClient(environment, namespace);
      const before = await neighbour.belongings();
      own.forget();
      internal.forget();
      let controller = await start(played.flags);
      let healthy = await watchHealth(cluster, port, logFile, leads);
      const outcomes = new Map<string, unknown>();
      const releases: Release[] = [];
      const stops: (() => unknown)[] = [];
      const problems: Record<string, unknown> = {};
      const attempt = async (what: string, act: () => Promise<unknown>) => {
        try {
          await act();
        } catch (error) {
          problems[what] = error;
        }
      };
      try {
        let isOver = false;
        const field: Field = {
          environment,
          client,
          namespace,
          neighbour: SHOP,
          home: LEASE_NAMESPACE,
          reports,
          controller,
          controllerPort: port,
          own,
          internal,
          inside,
          operator,
          stops,
        };
        const well = async () => {
          while (!isOver) releases.push(await neighbour.releasesWell());
          // Once more, beside all that the attacks have left.
          if (!played.isRestarted) releases.push(await neighbour.releasesWell());
        };
        const attacking = sideBySide(attacks, async (attack) => {
          outcomes.set(attack.id, await outcomeOf(attack, field));
        }).finally(() => {
          isOver = true;
        });
        await Promise.all([attempt('release', well), attempt('rollback', () => neighbour.releasesBadly()), attacking]);
        if (played.isRestarted) {
          problems.health = await healthy();
          await controller.stop();
          controller = await start(played.flags);
          healthy = await watchHealth(cluster, port, logFile, leads);
          await attempt('release after a restart', async () => releases.push(await neighbour.releasesWell()));
        }
        problems.health = [...((problems.health as string[] | undefined) ?? []), ...(await healthy())];
        problems.exited = controller.hasExited();
        problems.leaks = leaksIn(await readable(cluster, namespace, own, logFile), markers);
        problems.reached = internal.received().map(({ method, path }) => `${method} ${path}`);
        problems.changed = differences(before, await neighbour.belongings());
        return { outcomes, releases, problems };
      } finally {
        for (const each of stops) await each();
        await controller.stop();
        await close();
        await cleanUp(environment, namespace);
      }
    }

    const isReal = () => 'adminKubeconfigFile' in environmentOf();
    describe.for(classes.filter(({ attacks }) => attacks.some(isChosen)))('$title', (played) => {
      const attacks = played.attacks.filter(isChosen);
      let seen: Played | undefined;
      beforeAll(async () => {
        if (played.needs === undefined || isReal()) seen = await play(played, attacks);
      }, CLASS_MS);
      const looked = (skip: () => void): Played => {
        if (seen === undefined) skip();
        return seen as Played;
      };

      it.for(attacks)('$id: $what', ({ id }, { skip }) => {
        const outcome = looked(skip).outcomes.get(id);
        if (outcome !== undefined) throw outcome;
      });
      it('I15: the good release of the neighbour is promoted, step by step, in its time', ({ skip }) => {
        const { releases, problems } = looked(skip);
        expect([problems.release, problems['release after a restart']]).toEqual([undefined, undefined]);
        for (const { weights, steps, beats } of releases) {
          expect(weights).toEqual(calm.weights);
          expect(steps).toBeLessThanOrEqual(2 * calm.steps);
          expect(beats / calm.beats, 'times a calm release').toBeLessThanOrEqual(MOST_LONGER);
        }
      });
      it('I15: the bad release of the neighbour is rolled back', ({ skip }) => expect(looked(skip).problems.rollback).toBeUndefined());
      it('I14: objects of the neighbour are untouched, and its users get its versions only', ({ skip }) => {
        expect(looked(skip).problems.changed).toEqual([]);
        const { lost, versions } = neighbour.traffic();
        expect(lost).toEqual([]);
        expect(neighbour.versions()).toEqual(expect.arrayContaining(versions));
      });
      it('no credential is read', ({ skip }) => expect(looked(skip).problems.leaks).toEqual([]));
      it('no address is called that the operator does not allow', ({ skip }) => expect(looked(skip).problems.reached).toEqual([]));
      it('the controller runs on, is ready and keeps its lease', ({ skip }) => {
        const { exited, health } = looked(skip).problems;
        expect({ exited, health }).toEqual({ exited: false, health: [] });
      });
    });
  });
}

/** Undefined when it ended well. */
async function outcomeOf(attack: Attack, field: Field): Promise<unknown> {
  const tenant = new Tenant(field, attack.id);
  try {
    await attack.do(tenant);
    await hold(attack, tenant);
    return undefined;
  } catch (error) {
    return error;
  }
}

async function hold({ expects }: Attack, tenant: Tenant): Promise<void> {
  if ('holds' in expects) await expects.holds(tenant);
  else if ('names' in expects)
    await eventually(
      `${expects.names} is named`,
      () => tenant.words(),
      (words) => words.includes(expects.names),
    );
  else if ('refused' in expects) expect(tenant.refusals.join('\n')).toContain(expects.refused);
  else if ('passes' in expects) {
    expect(tenant.refusals).toEqual([]);
    await tenant.ends();
  }
}

async function sideBySide<T>(all: readonly T[], act: (one: T) => Promise<unknown>): Promise<void> {
  const rest = [...all];
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      for (let one = rest.shift(); one !== undefined; one = rest.shift()) await act(one);
    }),
  );
}

/** Every right in its own namespace, and no other right. */
async function hostileClient(environment: Environment, namespace: string): Promise<{ client: KubeCluster; close(): Promise<void> }> {
  if (!('adminKubeconfigFile' in environment)) {
    const connection = await loadConnection({ kubeconfig: environment.kubeconfigFile, userAgent: 'hostile' });
    const client = createCluster(connection, { requestTimeoutMs: 60_000 });
    return { client, close: async () => client.close() };
  }
  const { cluster } = environment;
  const account = { name: 'mallory', namespace };
  const rbac = 'rbac.authorization.k8s.io';
  await cluster.create({ apiVersion: 'v1', kind: 'ServiceAccount', metadata: account });
  await cluster.create({
    apiVersion: `${rbac}/v1`,
    kind: 'Role',
    metadata: account,
    rules: [{ apiGroups: ['*'], resources: ['*'], verbs: ['*'] }],
  });
  await cluster.create({
    apiVersion: `${rbac}/v1`,
    kind: 'RoleBinding',
    metadata: account,
    roleRef: { apiGroup: rbac, kind: 'Role', name: account.name },
    subjects: [{ kind: 'ServiceAccount', ...account }],
  });
  const { file, folder } = await kubeconfigOf({ cluster, kubeconfigFile: peopleFileOf(environment) }, account);
  const client = createCluster(await loadConnection({ kubeconfig: file, userAgent: 'hostile' }), { requestTimeoutMs: 60_000 });
  const canList = async () => {
    try {
      await client.list({ apiVersion: 'flagger.app/v1beta1', kind: 'Canary', namespace });
      return true;
    } catch {
      return false;
    }
  };
  await eventually('the tenant has its rights', canList);
  return {
    client,
    async close() {
      client.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function cleanUp({ cluster }: Environment, namespace: string): Promise<void> {
  for (const kind of ['Canary', 'MetricTemplate', 'AlertProvider'])
    for (const { metadata } of (await cluster.list({ apiVersion: 'flagger.app/v1beta1', kind, namespace })).items) {
      const ref = { apiVersion: 'flagger.app/v1beta1', kind, name: metadata.name, namespace };
      if (metadata.finalizers?.length) await cluster.patch(ref, { metadata: { finalizers: null } });
      await cluster.delete(ref);
    }
  await cluster.delete({ apiVersion: 'v1', kind: 'Namespace', name: namespace });
}

/** Objects that are deleted or changed; objects that a release has added do not count. */
function differences(before: Record<string, unknown>, after: Record<string, unknown>): string[] {
  return Object.entries(before)
    .filter(([key, value]) => JSON.stringify(after[key]) !== JSON.stringify(value))
    .map(([key, value]) => `${key} was ${JSON.stringify(value)}, and is ${JSON.stringify(after[key])}`);
}
