import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { Canary } from '../../src/api/canary.ts';
import type { KubeObject, ObjectRef } from '../../src/api/kube-object.ts';
import { secretChecksum } from '../../src/workloads/configs/checksum.ts';
import { configKey } from '../../src/workloads/configs/config-ref.ts';
import { copiesOf } from '../../src/workloads/configs/copies.ts';
import { readSalt } from '../../src/workloads/configs/salt.ts';
import { difference } from '../bench/figures.ts';
import { raw } from '../fakes/raw.ts';
import { aController, startController } from './controller.ts';
import { anEnvironment, type Environment } from './environment.ts';
import { eventually } from './eventually.ts';
import { APP, type Scenario, scenarioTests } from './scenario.ts';
import { settled } from './settled.ts';
import { until } from './until.ts';

const QUICK = { stepWeight: 50, maxWeight: 50 };
const SECRET_TEXT = 'hunter2-must-not-be-shown';
const base64 = (text: string) => Buffer.from(text).toString('base64');
/** A config read in both ways: by the environment at start, and by a mounted file. */
const bothWays = (name: string) => ({
  container: { envFrom: [{ configMapRef: { name } }], volumeMounts: [{ name: 'files', mountPath: '/etc/settings' }] },
  pod: { volumes: [{ name: 'files', projected: { sources: [{ configMap: { name } }] } }] },
});

/** Configs of a target, and releases of their changes. One suite for every cluster. */
export function describeConfigs(name: string, startEnvironment: () => Promise<Environment>): void {
  describe(name, () => {
    const environmentOf = anEnvironment(startEnvironment);
    const controllerOf = aController(environmentOf);
    const runScenario = scenarioTests(environmentOf, controllerOf);
    const scenarioTest = (title: string, namespace: string, run: (fixture: ConfigFixture) => Promise<void>): void =>
      runScenario(title, namespace, (scenario) => run(new ConfigFixture(environmentOf(), scenario)));

    describe.concurrent('each in a namespace of its own', () => {
      scenarioTest('a changed ConfigMap is released; env and volume of the primary read a copy of it', 'config-map', async (fixture) => {
        await fixture.config('ConfigMap', 'settings', { data: { COLOR: 'blue' } });
        await fixture.application(bothWays('settings'));
        fixture.scenario.given.users();
        await fixture.scenario.given.aCanary(QUICK);
        const blue = await fixture.copyInUse('ConfigMap', 'settings');
        expect(blue).toMatchObject({ data: { COLOR: 'blue' }, immutable: true });
        expect(raw(await fixture.canary()).status.trackedConfigs).toEqual({ 'configmap/settings': '7ce1f0e75fb02413' });

        await fixture.config('ConfigMap', 'settings', { data: { COLOR: 'red' } });
        await fixture.released(1);
        const red = await fixture.copyInUse('ConfigMap', 'settings');
        expect(red).toMatchObject({ data: { COLOR: 'red' }, immutable: true });
        expect(red.metadata.name).not.toBe(blue.metadata.name);
        expect(await fixture.find('ConfigMap', blue.metadata.name), 'a template that may be put back reads it').toEqual(blue);
        fixture.scenario.then.nothingWasLost();
      });

      scenarioTest(
        'E56: a new version starts at once where no pod of the old one can have read its configs',
        'no-pods',
        async (fixture) => {
          await fixture.config('ConfigMap', 'settings', { data: { COLOR: 'blue' } });
          await fixture.application(bothWays('settings'));
          await fixture.scenario.given.aCanary(QUICK);
          await fixture.scenario.then.scalesTo(APP, 0);
          const steps: string[] = [];
          const released = fixture.canaryIs('has promoted version 2', ({ phase, release }) => {
            if (steps.at(-1) !== release.step) steps.push(release.step);
            return phase === 'Succeeded' && release.run === 1 && release.step === 'resting';
          });
          await fixture.roll('2', {});
          await released;
          // The watch can begin after the push, so the rest before the release is not always seen.
          const releasing = steps.filter((step) => step !== 'resting');
          expect(releasing.slice(0, 3)).toEqual(['scalingUp', 'settling', 'analysing']);
        },
      );

      scenarioTest('a config that opted out keeps its name and starts nothing', 'opt-out', async (fixture) => {
        const annotations = { 'flagger.app/config-tracking': 'disabled' };
        await fixture.config('ConfigMap', 'flags', { data: { ON: '0' } }, annotations);
        await fixture.config('ConfigMap', 'settings', { data: { COLOR: 'blue' } });
        await fixture.application({
          container: { envFrom: [{ configMapRef: { name: 'flags' } }, { configMapRef: { name: 'settings' } }] },
        });
        await fixture.scenario.given.aCanary(QUICK);
        await fixture.config('ConfigMap', 'flags', { data: { ON: '1' } }, annotations);
        await fixture.config('ConfigMap', 'settings', { data: { COLOR: 'red' } });
        await fixture.released(1);
        expect(await fixture.primaryReads()).toEqual(['flags', expect.stringMatching(/^settings-primary-/)]);
        expect(raw(await fixture.canary()).status.trackedConfigs).toEqual({ 'configmap/settings': expect.any(String) });
      });

      scenarioTest('an optional config may be missing, and one that appears is released', 'optional', async (fixture) => {
        const optional = { configMapRef: { name: 'maybe', optional: true } };
        await fixture.application({ container: { envFrom: [optional] } });
        await fixture.scenario.given.aCanary(QUICK);
        expect(await fixture.primaryReads()).toEqual(['maybe-primary-absent']);
        await fixture.config('ConfigMap', 'maybe', { data: { COLOR: 'blue' } });
        await fixture.released(1);
        expect(await fixture.copyInUse('ConfigMap', 'maybe')).toMatchObject({ data: { COLOR: 'blue' } });
      });

      scenarioTest('a change of binaryData alone is released, and copied', 'binary-data', async (fixture) => {
        await fixture.config('ConfigMap', 'settings', { data: { COLOR: 'blue' }, binaryData: { logo: 'AAE=' } });
        await fixture.application(bothWays('settings'));
        await fixture.scenario.given.aCanary(QUICK);
        await fixture.config('ConfigMap', 'settings', { data: { COLOR: 'blue' }, binaryData: { logo: 'AAI=' } });
        await fixture.released(1);
        expect(await fixture.copyInUse('ConfigMap', 'settings')).toMatchObject({ data: { COLOR: 'blue' }, binaryData: { logo: 'AAI=' } });
      });

      scenarioTest(
        'an immutable config is replaced: missing meanwhile is said, and nothing starts until it is back',
        'immutable',
        async (fixture) => {
          await fixture.config('ConfigMap', 'settings', { data: { COLOR: 'blue' }, immutable: true });
          await fixture.application(bothWays('settings'));
          fixture.scenario.given.users();
          await fixture.scenario.given.aCanary(QUICK);
          await fixture.remove('ConfigMap', 'settings');
          await fixture.canaryIs('says that it is missing', ({ conditions, phase, release }) => {
            const said = conditions[0]?.message ?? '';
            return phase === 'Initialized' && release.run === 0 && /ConfigMap settings.*does not exist/.test(said);
          });
          await fixture.config('ConfigMap', 'settings', { data: { COLOR: 'red' }, immutable: true });
          await fixture.released(1);
          expect(await fixture.copyInUse('ConfigMap', 'settings')).toMatchObject({ data: { COLOR: 'red' } });
          expect(raw(await fixture.canary()).status.conditions[0].message).not.toContain('does not exist');
          fixture.scenario.then.nothingWasLost();
        },
      );

      scenarioTest('a changed Secret is released, and what it holds is in no log, event, status or error', 'secret', async (fixture) => {
        await fixture.config('Secret', 'db', { type: 'Opaque', data: { password: base64(`${SECRET_TEXT}-1`) } });
        await fixture.application({
          container: { env: [{ name: 'PASSWORD', valueFrom: { secretKeyRef: { name: 'db', key: 'password' } } }] },
        });
        await fixture.scenario.given.aCanary(QUICK);
        const next = { type: 'Opaque', data: { password: base64(`${SECRET_TEXT}-2`) } };
        // Another object has the name of the copy to be made: the promotion is refused, and the refusal is reported.
        const taken = await fixture.copyName('Secret', 'db', next);
        await fixture.config('Secret', taken, { type: 'Opaque', data: { mine: base64(SECRET_TEXT) } });
        await fixture.config('Secret', 'db', next);
        await fixture.canaryIs('names what is in its way', ({ phase, conditions }) => {
          return phase === 'Promoting' && (conditions[0]?.message ?? '').includes(`Secret ${taken} exists and is not ours`);
        });
        expect(await fixture.find('Secret', taken), 'it is never overwritten').toMatchObject({
          data: { mine: base64(SECRET_TEXT) },
        });
        await fixture.remove('Secret', taken);
        await fixture.released(1);
        expect(await fixture.copyInUse('Secret', 'db')).toMatchObject({ ...next, immutable: true });
        const events = await environmentOf().cluster.list({ apiVersion: 'v1', kind: 'Event', namespace: fixture.scenario.namespace });
        const outputs = [
          JSON.stringify(events.items),
          JSON.stringify(await fixture.canary()),
          readFileSync(controllerOf().logFile, 'utf8'),
        ];
        expect(events.items.length).toBeGreaterThan(3);
        for (const text of outputs) for (const word of [SECRET_TEXT, base64(SECRET_TEXT).slice(0, 24)]) expect(text).not.toContain(word);
      });

      scenarioTest(
        'a config changed during the analysis: traffic is routed to the primary, and only pods that read the new one are analysed',
        'mid-run',
        async (fixture) => {
          await fixture.config('ConfigMap', 'settings', { data: { COLOR: 'blue' } });
          await fixture.application(bothWays('settings'));
          fixture.scenario.given.users();
          const webhooks = [{ name: 'seen', type: 'rollout', url: fixture.scenario.hooks.url('seen') }];
          await fixture.scenario.given.aCanary({ stepWeight: 10, maxWeight: 50, webhooks });
          await fixture.config('ConfigMap', 'settings', { data: { COLOR: 'red' } });
          await fixture.scenario.then.canaryReceives(20);
          const before = await fixture.canaryPods();
          expect(before.length).toBe(2);
          const { when, then } = fixture.scenario;
          await when.thisHappens(() => fixture.config('ConfigMap', 'settings', { data: { COLOR: 'green' } }));
          await then.statusWas('lets its pods go', ({ step, canaryWeight }) => step === 'recycleStopping' && canaryWeight === 0);
          await then.statusWas('analyses again', ({ run, canaryWeight }) => run === 2 && canaryWeight > 0);
          const after = await fixture.canaryPods();
          expect(after.filter((uid) => before.includes(uid))).toEqual([]);
          await fixture.released(2);
          expect(await fixture.copyInUse('ConfigMap', 'settings')).toMatchObject({ data: { COLOR: 'green' } });
          const checksums = fixture.scenario.hooks.calls('seen').map(({ checksum }) => checksum);
          expect(new Set(checksums).size, 'hooks can tell the two apart').toBe(2);
          fixture.scenario.then.nothingWasLost();
        },
      );

      scenarioTest('the same of a DaemonSet, whose pods are sent away by its node selector', 'mid-run-daemon', async (fixture) => {
        await fixture.config('ConfigMap', 'settings', { data: { COLOR: 'blue' } });
        await fixture.application(bothWays('settings'), 'DaemonSet');
        fixture.scenario.given.users();
        const targetRef = { apiVersion: 'apps/v1', kind: 'DaemonSet', name: APP };
        await fixture.scenario.given.aCanary({ stepWeight: 10, maxWeight: 50 }, { targetRef });
        await fixture.config('ConfigMap', 'settings', { data: { COLOR: 'red' } });
        await fixture.scenario.then.canaryReceives(20);
        const before = await fixture.canaryPods();
        expect(before.length).toBeGreaterThan(0);
        const { when, then } = fixture.scenario;
        await when.thisHappens(() => fixture.config('ConfigMap', 'settings', { data: { COLOR: 'green' } }));
        await then.statusWas('analyses again', ({ run, canaryWeight }) => run === 2 && canaryWeight > 0);
        expect((await fixture.canaryPods()).filter((uid) => before.includes(uid))).toEqual([]);
        await fixture.released(2);
        expect(await fixture.copyInUse('ConfigMap', 'settings')).toMatchObject({ data: { COLOR: 'green' } });
        fixture.scenario.then.nothingWasLost();
      });

      scenarioTest(
        'a promotion that fails puts back the template with the copies that it ran with',
        'failed-promotion',
        async (fixture) => {
          await fixture.config('ConfigMap', 'settings', { data: { COLOR: 'blue' } });
          await fixture.application(bothWays('settings'));
          fixture.scenario.given.users();
          await fixture.scenario.given.aCanary(QUICK);
          const blue = await fixture.copyInUse('ConfigMap', 'settings');
          await fixture.config('ConfigMap', 'settings', { data: { COLOR: 'red' } });
          await fixture.roll('2', { env: [{ name: 'NEVER_READY_AS_PRIMARY', value: '1' }] });
          await fixture.scenario.then.canaryIs('Promoting');
          await fixture.scenario.when.deadlineIs(5);
          await fixture.canaryIs('has failed', ({ phase, release }) => phase === 'Failed' && release.step === 'resting');
          expect(await fixture.copyInUse('ConfigMap', 'settings')).toEqual(blue);
          await fixture.scenario.then.everyoneGets('1');
          fixture.scenario.then.nothingWasLost();
        },
      );

      scenarioTest('a target whose config is missing is not started, and goes on when it is there', 'missing', async (fixture) => {
        await fixture.config('ConfigMap', 'settings', { data: { COLOR: 'blue' } });
        await fixture.application(bothWays('settings'));
        await fixture.scenario.given.aCanary(QUICK);
        await fixture.roll('2', { envFrom: [{ secretRef: { name: 'late' } }] });
        await fixture.canaryIs('names it', ({ phase, conditions }) => {
          return phase === 'Initialized' && /Secret late.*does not exist/.test(conditions[0]?.message ?? '');
        });
        await fixture.config('Secret', 'late', { type: 'Opaque', data: { a: base64('b') } });
        await fixture.released(1);
        await fixture.scenario.then.primaryRuns('2');
      });

      scenarioTest('a revert of the config during the analysis cancels it', 'revert', async (fixture) => {
        await fixture.config('ConfigMap', 'settings', { data: { COLOR: 'blue' } });
        await fixture.application(bothWays('settings'));
        await fixture.scenario.given.aCanary({ stepWeight: 10, maxWeight: 50 });
        const blue = await fixture.copyInUse('ConfigMap', 'settings');
        await fixture.config('ConfigMap', 'settings', { data: { COLOR: 'red' } });
        await fixture.scenario.then.canaryReceives(10);
        await fixture.config('ConfigMap', 'settings', { data: { COLOR: 'blue' } });
        await fixture.released(1);
        const { lastAppliedSpec, lastPromotedSpec } = raw(await fixture.canary()).status;
        expect(lastAppliedSpec).toBe(lastPromotedSpec);
        expect(await fixture.copyInUse('ConfigMap', 'settings')).toEqual(blue);
      });
    });

    it('I8: a restart over all of them writes nothing and reads no content', async () => {
      const environment = environmentOf();
      await settled(() => environment.requestCounts(), 2_000);
      await controllerOf().stop();
      const before = environment.requestCounts();
      const again = startController(environment);
      const since = () => difference(environment.requestCounts(), before);
      await eventually('secrets are watched', since, (counts) => (counts['watch secrets'] ?? 0) > 0);
      await settled(() => environment.requestCounts(), 2_000);
      await again.stop();
      expect(Object.keys(since()).filter((what) => !/^(get|list|watch) /.test(what))).toEqual([]);
      expect(Object.keys(since()).filter((what) => /^get (configmaps|secrets)$/.test(what))).toEqual([]);
    });
  });
}

interface Reads {
  container?: Record<string, unknown>;
  pod?: Record<string, unknown>;
}

/** One application, its Canary and what its pods read, in a scenario's namespace. */
class ConfigFixture {
  readonly scenario: Scenario;
  readonly #environment: Environment;
  #reads: Reads = {};
  #kind = 'Deployment';

  constructor(environment: Environment, scenario: Scenario) {
    this.#environment = environment;
    this.scenario = scenario;
  }

  /** Version 1, serving, whose pods read these configs. */
  async application(reads: Reads, kind: 'Deployment' | 'DaemonSet' = 'Deployment'): Promise<void> {
    this.#reads = reads;
    this.#kind = kind;
    const labels = { app: APP };
    const metadata = { name: APP, namespace: this.scenario.namespace };
    // Each pod of a DaemonSet must end before the next one is replaced.
    const grace = kind === 'DaemonSet' ? { terminationGracePeriodSeconds: 10 } : {};
    const template = { metadata: { labels }, spec: { ...reads.pod, ...grace, containers: [this.#container('1')] } };
    await this.#environment.cluster.create({
      ...this.#ref('apps/v1', kind, APP),
      metadata,
      spec: { ...(kind === 'Deployment' && { replicas: 2 }), selector: { matchLabels: labels }, template },
    });
    const ports = [{ name: 'http', port: 80, targetPort: 'http' }];
    await this.#environment.cluster.create({ ...this.#ref('v1', 'Service', APP), metadata, spec: { selector: labels, ports } });
    await this.scenario.then.everyoneGets('1');
  }

  async roll(version: string, container: Record<string, unknown>): Promise<void> {
    const containers = [{ ...this.#container(version), ...container }];
    await this.#environment.cluster.patch(this.#ref('apps/v1', 'Deployment', APP), { spec: { template: { spec: { containers } } } });
  }

  /** Creates the config, or gives it this content. */
  async config(kind: string, name: string, content: Record<string, unknown>, annotations: Record<string, string> = {}): Promise<void> {
    const ref = this.#ref('v1', kind, name);
    const metadata = { name, namespace: this.scenario.namespace, annotations };
    const before = await this.#environment.cluster.get(ref);
    const object = {
      apiVersion: 'v1',
      kind,
      ...content,
      metadata: { ...metadata, ...(before && { resourceVersion: before.metadata.resourceVersion ?? '' }) },
    };
    await (before ? this.#environment.cluster.replace(object) : this.#environment.cluster.create(object));
  }

  async remove(kind: string, name: string): Promise<void> {
    await this.#environment.cluster.delete(this.#ref('v1', kind, name));
  }

  find(kind: string, name: string): Promise<KubeObject | undefined> {
    return this.#environment.cluster.get(this.#ref('v1', kind, name));
  }

  async canary(): Promise<KubeObject> {
    return this.#must(this.#canaryRef);
  }

  // biome-ignore lint/suspicious/noExplicitAny: the raw status, as a user reads it
  async canaryIs(what: string, isSo: (status: any) => boolean): Promise<void> {
    await until(
      this.#environment.cluster,
      this.#canaryRef,
      what,
      (now) => raw(now)?.status?.release !== undefined && isSo(raw(now).status),
    );
  }

  /** Waits until this number of releases have begun, and the last one is complete. */
  async released(run: number): Promise<void> {
    await this.canaryIs(`has ended its release ${run} well`, ({ phase, release }) => {
      return phase === 'Succeeded' && release.run === run && release.step === 'resting';
    });
  }

  /** Names of the configs that the environment of the primary comes from. */
  async primaryReads(): Promise<string[]> {
    const primary = await this.#must(this.#ref('apps/v1', this.#kind, `${APP}-primary`));
    const { envFrom = [], env = [] } = raw(primary).spec.template.spec.containers[0];
    type Source = { configMapRef?: { name: string }; secretRef?: { name: string }; valueFrom?: { secretKeyRef?: { name: string } } };
    return [...envFrom, ...env].flatMap(
      ({ configMapRef, secretRef, valueFrom }: Source) => (configMapRef ?? secretRef ?? valueFrom?.secretKeyRef)?.name ?? [],
    );
  }

  /** The one copy of this source that the primary's environment and volumes read. */
  async copyInUse(kind: string, source: string): Promise<KubeObject> {
    const [name = ''] = (await this.primaryReads()).filter((each) => each.startsWith(`${source}-primary-`));
    const primary = await this.#must(this.#ref('apps/v1', this.#kind, `${APP}-primary`));
    const { volumes = [] } = raw(primary).spec.template.spec;
    if (volumes.length > 0) expect(volumes).toMatchObject([{ projected: { sources: [{ configMap: { name } }] } }]);
    return this.#must(this.#ref('v1', kind, name));
  }

  /** The name that the copy of this content will have. */
  async copyName(kind: 'Secret', name: string, content: Record<string, unknown>): Promise<string> {
    const source = { apiVersion: 'v1', kind, metadata: { name, namespace: this.scenario.namespace }, ...content };
    const key = configKey({ kind, name });
    const salt = readSalt(await this.#must(this.#ref('v1', 'Secret', `${APP}-serin-salt`)));
    const seen = salt && { [key]: { checksum: secretChecksum(source, salt) } };
    return copiesOf(Canary.parse(await this.canary()), new Map([[key, source]]), seen ?? {}, []).names.get(key) ?? '';
  }

  async canaryPods(): Promise<string[]> {
    const { items } = await this.#environment.cluster.list(
      { apiVersion: 'v1', kind: 'Pod', namespace: this.scenario.namespace },
      { labelSelector: `app=${APP}` },
    );
    return items.filter(({ metadata }) => metadata.deletionTimestamp === undefined).map(({ metadata }) => metadata.uid ?? '');
  }

  #container(version: string): Record<string, unknown> {
    return { name: 'web', image: `${APP}:${version}`, ports: [{ name: 'http', containerPort: 9898 }], ...this.#reads.container };
  }

  get #canaryRef(): ObjectRef {
    return this.#ref('flagger.app/v1beta1', 'Canary', APP);
  }

  #ref(apiVersion: string, kind: string, name: string): ObjectRef {
    return { apiVersion, kind, name, namespace: this.scenario.namespace };
  }

  async #must(ref: ObjectRef): Promise<KubeObject> {
    const found = await this.#environment.cluster.get(ref);
    if (!found) throw new Error(`${ref.kind} ${ref.name} does not exist`);
    return found;
  }
}
