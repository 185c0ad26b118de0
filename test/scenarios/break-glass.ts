import { dirname } from 'node:path';
import { describe, expect, it } from 'vitest';
import { raw } from '../fakes/raw.ts';
import { type ControllerProcess, newLogFile, startController } from './controller.ts';
import { docBlocks, runScript, type Shown, sectionScript } from './doc-commands.ts';
import type { Environment } from './environment.ts';
import { eventually } from './eventually.ts';
import { canaryFor } from './providers/canary-for.ts';
import type { AppName, ProviderFixture } from './providers/provider-fixture.ts';
import { APP, Scenario } from './scenario.ts';
import { ask } from './users.ts';

const PAGE = 'break-glass.md';
/** Each wait inside has a bound of its own, which says what it waits for. */
const LONGEST_MS = 1_200_000;
const CROWD = { pauseMs: 250 };

/** Users get its new version only in the promotion. */
const plainServices: ProviderFixture = {
  provider: 'kubernetes',
  host: ({ name, namespace }) => `${name}.${namespace}`,
  route: ({ name, namespace }) => ({ apiVersion: 'v1', kind: 'Service', name, namespace }),
  edits: {},
};

export interface BreakGlassOptions {
  /** Kubeconfig of a cluster administrator. */
  kubeconfigFile(): string;
  /** A file. */
  kubectl(): Promise<string>;
  /** Provider of every two whose glass is broken while Serin is down: 0 or 1. */
  down: 0 | 1;
}

/** One application of each provider in the middle of a release; half of the glass is broken with Serin up, half with it down. */
export function describeBreakGlass(
  environmentOf: () => Environment,
  fixtures: readonly ProviderFixture[],
  options: BreakGlassOptions,
): void {
  describe('the unmodified commands of the break-glass page', () => {
    it(
      'all traffic goes to the primary and stays there, with Serin up and down; then everything returns to normal',
      async () => {
        const environment = environmentOf();
        const logFile = newLogFile();
        const env = { KUBECONFIG: options.kubeconfigFile(), PATH: `${dirname(await options.kubectl())}:${process.env.PATH}` };
        let controller = startController(environment, {}, logFile);
        const patients = [...fixtures, plainServices].map((fixture) => new Patient(environment, fixture, env));
        const isLate = (_: Patient, index: number) => index % 2 === options.down;
        try {
          await Promise.all(patients.map((patient) => patient.isInMiddleOfRelease(controller)));
          await Promise.all(
            patients.filter((patient, index) => !isLate(patient, index)).map((patient) => patient.breaksGlass({ isUp: true })),
          );
          await controller.stop('KILL');
          await Promise.all(patients.filter(isLate).map((patient) => patient.breaksGlass({ isUp: false })));
          controller = startController(environment, {}, logFile);
          await Promise.all(patients.map((patient) => patient.staysWhereItWasPut()));
          await Promise.all(patients.map((patient) => patient.returnsToNormal()));
        } finally {
          await Promise.all(patients.map((patient) => patient.ends()));
          await controller.stop();
        }
      },
      LONGEST_MS,
    );
  });
}

/** One application whose new version must not be seen any more. */
class Patient {
  readonly #environment: Environment;
  readonly #fixture: ProviderFixture;
  readonly #app: AppName;
  readonly #env: Record<string, string>;
  #scenario: Scenario | undefined;

  constructor(environment: Environment, fixture: ProviderFixture, env: Record<string, string>) {
    this.#environment = environment;
    this.#fixture = fixture;
    this.#app = { name: APP, namespace: `glass-${fixture.provider.replaceAll(':', '-')}` };
    this.#env = { ...env, NAMESPACE: this.#app.namespace, CANARY: APP, SERVICE: APP };
  }

  async isInMiddleOfRelease(controller: ControllerProcess): Promise<void> {
    const scenario = await Scenario.begin(this.#environment, controller, this.#app.namespace);
    this.#scenario = scenario;
    const target = this.#fixture.application?.(this.#environment.cluster, this.#app.namespace);
    if (target) await target.create();
    else await scenario.given.aDeployment();
    for (const object of this.#fixture.objects?.(this.#app) ?? []) await this.#environment.cluster.apply(object, { fieldManager: 'user' });
    scenario.hooks.answers('finish', 403);
    const webhooks = [{ name: 'finish', type: 'confirm-promotion', url: scenario.hooks.url('finish') }];
    const plan = this.#isPlain ? { iterations: 1 } : { stepWeight: 50, maxWeight: 50 };
    const { analysis: _, ...spec } = raw(canaryFor(this.#fixture, this.#app, {})).spec;
    await scenario.given.aCanary({ ...plan, webhooks }, spec);
    scenario.given.users(this.#asUsersDo, CROWD);
    if (target) await target.push('2');
    else await scenario.when.imageChanges('2');
    await scenario.then.canaryIs('WaitingPromotion');
    if (!this.#isPlain) await this.#everyProxyAnswers('some user gets version 2', (versions) => versions.includes('2'));
  }

  async breaksGlass({ isUp }: { isUp: boolean }): Promise<void> {
    const stopped = await this.#runs('2. Stop Serin');
    expect(stopped.exit, stopped.output).toBe(isUp ? 0 : 1);
    if (!isUp) expect(stopped.output).toContain('timed out');
    if (this.#isPlain) await this.#isSwitched();
    if (this.#fixture.provider === 'knative') await this.#succeeds('Knative');
    else {
      expect(await this.#succeeds('3. See that the primary serves')).toMatch(/^podinfo-primary-\S+ true$/m);
      await this.#succeeds(this.#fixture.provider === 'gloo' ? 'Gloo' : 'All providers but Gloo and Knative');
      if (this.#isPlain) await this.#succeeds('Plain Services');
    }
    await this.#everyoneGetsTheOldVersion();
  }

  /** Serin has come back, and looked. */
  async staysWhereItWasPut(): Promise<void> {
    const { cluster } = this.#environment;
    const ref = { apiVersion: 'flagger.app/v1beta1', kind: 'Canary', name: APP, namespace: this.#app.namespace };
    await eventually(
      `${this.#fixture.provider}: Serin has seen the suspend`,
      () => cluster.get(ref),
      (now) => raw(now)?.status?.release?.suspended === true,
    );
    await this.#everyoneGetsTheOldVersion();
  }

  async returnsToNormal(): Promise<void> {
    if (this.#fixture.provider === 'knative') {
      // Its kind has no history for kubectl to roll back to, and an earlier template is a new Revision: a release with gates.
      this.#scenario?.hooks.answers('finish', 200);
      const target = this.#fixture.route(this.#app);
      const version1 = await this.#environment.cluster.get({ ...target, kind: 'Revision', name: `${APP}-00001` });
      await this.#environment.cluster.patch(target, { spec: { template: { spec: { containers: raw(version1)?.spec.containers } } } });
      await this.#succeedsIn(docBlocks(PAGE).findLast(({ heading }) => heading === '5. Back to normal')?.script ?? 'false');
    } else await this.#succeeds('5. Back to normal');
    await this.#everyoneGetsTheOldVersion();
    this.#scenario?.then.nothingWasLost();
    if (this.#fixture.provider === 'knative') return;
    const canaryService = { apiVersion: 'v1', kind: 'Service', name: `${APP}-canary`, namespace: this.#app.namespace };
    await eventually(
      `${this.#fixture.provider}: the Service of the canary is its own again`,
      () => this.#environment.cluster.get(canaryService),
      (now) => raw(now)?.spec.selector.app === APP,
    );
  }

  async ends(): Promise<void> {
    await this.#scenario?.end();
  }

  get #isPlain(): boolean {
    return this.#fixture.provider === 'kubernetes';
  }

  get #asUsersDo(): Record<string, string> {
    return { 'x-serin-host': this.#fixture.host(this.#app), ...this.#fixture.headers?.(this.#app) };
  }

  /** Leads the apex to the target, as a promotion does during the write of the primary. */
  async #isSwitched(): Promise<void> {
    const apex = { apiVersion: 'v1', kind: 'Service', name: APP, namespace: this.#app.namespace };
    await this.#environment.cluster.patch(apex, { spec: { selector: { app: APP } } });
    await this.#everyProxyAnswers('everybody gets version 2', (versions) => versions.join() === '2');
  }

  #everyoneGetsTheOldVersion(): Promise<void> {
    return this.#everyProxyAnswers('everybody gets version 1', (versions) => versions.join() === '1');
  }

  async #everyProxyAnswers(what: string, isSo: (versions: string[]) => boolean): Promise<void> {
    const round = async () => {
      const host = this.#fixture.host(this.#app);
      const answers = await Promise.all(
        this.#environment.mesh.urls.flatMap((url) => [1, 2, 3, 4, 5, 6].map(() => ask(url, host, this.#asUsersDo))),
      );
      return [...new Set(answers.map((answer) => answer.version ?? answer.lost ?? 'none'))];
    };
    await eventually(`${this.#fixture.provider}: ${what}`, round, isSo);
  }

  #runs(heading: string): Promise<Shown> {
    return runScript(sectionScript(PAGE, heading), this.#env);
  }

  #succeeds(heading: string): Promise<string> {
    return this.#succeedsIn(sectionScript(PAGE, heading));
  }

  async #succeedsIn(script: string): Promise<string> {
    const { exit, output } = await runScript(script, this.#env);
    expect(exit, `${this.#fixture.provider}: ${script}\n${output}`).toBe(0);
    return output;
  }
}
