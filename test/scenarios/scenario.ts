import { expect, it } from 'vitest';
import type { KubeObject, ObjectRef } from '../../src/api/kube-object.ts';
import { acceptAnnotation } from '../../src/api/names.ts';
import type { Phase } from '../../src/api/phase.ts';
import type { WatchHandle } from '../../src/kube/cluster.ts';
import { raw } from '../fakes/raw.ts';
import type { ControllerProcess } from './controller.ts';
import type { Environment } from './environment.ts';
import { eventually } from './eventually.ts';
import { type HookServer, startHookServer } from './hook-server.ts';
import type { AppName, ProviderFixture } from './providers/provider-fixture.ts';
import { BOUND_MS, describeObject, until } from './until.ts';
import { ask, type Crowd, startUsers, type Users } from './users.ts';
import { world } from './world.ts';

export const APP = 'podinfo';
const PORTS = [{ name: 'http', port: 80, targetPort: 'http' }];

/** One status of the Canary as the watch brought it. */
interface SeenStatus {
  phase: Phase;
  canaryWeight: number;
  iterations: number;
  failedChecks: number;
  step?: string;
  run?: number;
}

const ANSWERS_IN_A_ROW = 5;

/** The Deployment of a scenario; `pod` and `spec` are laid over the fields of the pod and of the Deployment. */
interface AnApplication {
  replicas?: number;
  env?: Record<string, string>;
  pod?: Record<string, unknown>;
  spec?: Record<string, unknown>;
  /** Fields of its Service. */
  service?: Record<string, unknown>;
}

/**
 * One application and its Canary in a namespace of their own, in the words of the user: given, when, then. Every wait is a watch with a bound. Statuses are
 * recorded since the last `when`, so that a status that passed quickly is still seen.
 */
export class Scenario {
  readonly namespace: string;
  readonly hooks: HookServer;
  readonly #environment: Environment;
  readonly #controller: Pick<ControllerProcess, 'logFile' | 'logOf'>;
  readonly #fixture: ProviderFixture | undefined;
  readonly #users: Users[] = [];
  #statuses: SeenStatus[] = [];
  #canary: KubeObject | undefined;
  #look: () => void = () => undefined;
  #watch: WatchHandle | undefined;

  private constructor(
    environment: Environment,
    controller: Pick<ControllerProcess, 'logFile' | 'logOf'>,
    namespace: string,
    hooks: HookServer,
    fixture: ProviderFixture | undefined,
  ) {
    this.#environment = environment;
    this.#controller = controller;
    this.namespace = namespace;
    this.hooks = hooks;
    this.#fixture = fixture;
  }

  /** `fixture`: the provider of its Canary, with the objects that its users have already; default: the controller's, in a mesh. */
  static async begin(
    environment: Environment,
    controller: Pick<ControllerProcess, 'logFile' | 'logOf'>,
    namespace: string,
    fixture?: ProviderFixture,
  ): Promise<Scenario> {
    await environment.cluster.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
    return new Scenario(environment, controller, namespace, await startHookServer(), fixture);
  }

  async end(): Promise<void> {
    this.#watch?.stop();
    await Promise.all(this.#users.map((users) => users.stop()));
    await this.hooks.stop();
  }

  readonly given = {
    /** An application of version 1 with its Service, serving. */
    aDeployment: async ({ replicas = 2, env = {}, pod = {}, spec = {}, service = {} }: AnApplication = {}): Promise<void> => {
      const { cluster } = this.#environment;
      const labels = { app: APP };
      const metadata = { name: APP, namespace: this.namespace };
      const template = { metadata: { labels }, spec: { ...pod, containers: [containerOf('1', env)] } };
      await cluster.create({
        apiVersion: 'apps/v1',
        kind: 'Deployment',
        metadata,
        spec: { replicas, selector: { matchLabels: labels }, template, ...spec },
      });
      await cluster.create({ apiVersion: 'v1', kind: 'Service', metadata, spec: { selector: labels, ports: PORTS, ...service } });
      for (const object of this.#fixture?.objects?.(this.#app) ?? []) await cluster.create(object);
      await this.#until(this.#ref('apps/v1', 'Deployment', APP), 'is available', (now) => raw(now)?.status?.availableReplicas === replicas);
      await this.given.itServes();
    },

    /** Waits until the application answers at every proxy. */
    itServes: async (): Promise<void> => {
      for (const url of this.#environment.mesh.urls) await this.#untilAnswers(url);
    },

    /** Users who send requests continuously, from before Serin takes over until the end of the scenario. */
    users: (headers: Record<string, string> = {}, crowd: Crowd = {}): Users => {
      const users = startUsers(this.#environment.mesh.urls, this.#host, { ...this.#headers, ...headers }, crowd);
      this.#users.push(users);
      return users;
    },

    /**
     * Webhooks of an analysis that promotes nothing before `gateOpens('finish')`. A bad version also needs it: on a busy machine the few requests of a few
     * checks can pass by chance, and it only fails when enough have been counted.
     */
    aClosedGate: (): { name: string; type: string; url: string }[] => {
      this.hooks.answers('finish', 403);
      return [{ name: 'finish', type: 'confirm-promotion', url: this.hooks.url('finish') }];
    },

    /** A Canary that has made its primary; the analysis is checked every second. */
    aCanary: async (analysis: Record<string, unknown>, spec: Record<string, unknown> = {}): Promise<void> => {
      await this.#environment.cluster.create({
        apiVersion: 'flagger.app/v1beta1',
        kind: 'Canary',
        metadata: { name: APP, namespace: this.namespace },
        spec: {
          ...(this.#fixture && { provider: this.#fixture.provider }),
          targetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: APP },
          ...this.#fixture?.spec?.(this.#app),
          service: { port: 80, targetPort: 'http', ...this.#fixture?.service?.(this.#app) },
          // A test that plays a deadline sets it when there is something to be late: a busy machine takes long for any pod.
          progressDeadlineSeconds: 600,
          analysis: { interval: '1s', threshold: 2, ...analysis },
          ...spec,
        },
      });
      this.#follow();
      await this.then.canaryIs('Initialized');
    },
  };

  readonly when = {
    /** The Deployment rolls to another version, whose pods behave as the env says. */
    imageChanges: async (version: string, env: Record<string, string> = {}): Promise<void> => {
      this.#statuses = [];
      await this.#environment.cluster.patch(this.#ref('apps/v1', 'Deployment', APP), {
        spec: { template: { spec: { containers: [containerOf(version, env)] } } },
      });
    },
    /** Pushes an image that no node can pull. */
    imageIsMissing: async (): Promise<void> => {
      this.#statuses = [];
      const container = { ...containerOf('2', {}), image: `registry.invalid/${APP}:2` };
      await this.#environment.cluster.patch(this.#ref('apps/v1', 'Deployment', APP), {
        spec: { template: { spec: { containers: [container] } } },
      });
    },
    /** An action of the test itself. */
    thisHappens: async (act: () => Promise<void>): Promise<void> => {
      this.#statuses = [];
      await act();
    },
    /** The wait that the release is in now is over after so many seconds, counted from where it began. */
    deadlineIs: async (seconds: number): Promise<void> => {
      await this.#environment.cluster.patch(this.#canaryRef, { spec: { progressDeadlineSeconds: seconds } });
    },
    /** A user edits the Canary; the release is where it was. */
    canaryIsEdited: async (spec: Record<string, unknown>): Promise<void> => {
      await this.#environment.cluster.patch(this.#canaryRef, { spec });
    },
    gateOpens: (hook: string): void => {
      this.#statuses = [];
      this.hooks.answers(hook, 200);
    },
    deploymentIsDeleted: async (name: string): Promise<void> => {
      this.#statuses = [];
      await this.#environment.cluster.delete(this.#ref('apps/v1', 'Deployment', name), { propagationPolicy: 'Background' });
    },
    /** The word of the user without which a target that was not promoted gets nothing when its Canary is deleted (I19). */
    revisionIsAccepted: async (): Promise<void> => {
      const canary = raw(await this.#environment.cluster.get(this.#canaryRef));
      const annotations = { [acceptAnnotation]: canary?.status?.release?.revision };
      await this.#environment.cluster.patch(this.#ref('apps/v1', 'Deployment', APP), { metadata: { annotations } });
    },
    canaryIsDeleted: async (): Promise<void> => {
      this.#watch?.stop();
      await this.#environment.cluster.delete(this.#canaryRef);
    },
  };

  // biome-ignore lint/suspicious/noThenProperty: an object, not a function, so awaiting a Scenario is safe
  readonly then = {
    canaryIs: (phase: Phase): Promise<void> => this.#seen(`is ${phase}`, (status) => status.phase === phase),
    /** Waits until it has its verdict, and everything is cleaned up. */
    releaseEnds: (phase: 'Succeeded' | 'Failed', boundMs = BOUND_MS): Promise<void> =>
      this.#seen(`ends ${phase}`, (status) => status.phase === phase && (status.step ?? 'resting') === 'resting', boundMs),
    canaryReceives: (weight: number): Promise<void> => this.#seen(`receives ${weight}%`, (status) => status.canaryWeight === weight),
    /** A condition of this type says so. */
    itIsReported: async (type: string, what: RegExp): Promise<void> => {
      const said = (now: KubeObject | undefined) =>
        raw(now)?.status?.conditions?.some((one: { type: string; message?: string }) => one.type === type && what.test(one.message ?? ''));
      await this.#until(this.#canaryRef, `says ${what} in ${type}`, said);
    },
    /** Also finds a status that has passed since. */
    statusWas: (what: string, isSo: (status: SeenStatus) => boolean): Promise<void> => this.#seen(what, isSo),
    iterationIs: (iterations: number): Promise<void> => this.#seen(`is at iteration ${iterations}`, (s) => s.iterations === iterations),
    hookWasCalled: (hook: string, times = 1): Promise<void> =>
      this.#eventually(
        `hook ${hook} is called ${times} times`,
        async () => this.hooks.calls(hook).length,
        (count) => count >= times,
      ),
    targetRuns: (version: string): Promise<void> => this.#runs(APP, version),
    primaryRuns: (version: string): Promise<void> => this.#runs(`${APP}-primary`, version),
    /** Every proxy answers with only this version, for a round of requests to each. */
    everyoneGets: async (version: string, headers: Record<string, string> = {}): Promise<void> => {
      await this.#eventually(
        `everyone gets version ${version}`,
        () => this.#round(headers),
        (versions) => versions.length === 1 && versions[0] === version,
      );
    },
    /** Its share of the traffic has reached the proxies. */
    someoneGets: async (version: string): Promise<void> => {
      await this.#eventually(
        `someone gets version ${version}`,
        () => this.#round({}),
        (versions) => versions.includes(version),
      );
    },
    scalesTo: async (deployment: string, replicas: number): Promise<void> => {
      await this.#until(this.#ref('apps/v1', 'Deployment', deployment), `has ${replicas} pods`, (now) =>
        replicas === 0 ? raw(now)?.spec.replicas === 0 && !raw(now).status?.replicas : raw(now)?.status?.availableReplicas === replicas,
      );
    },
    /** An autoscaler has taken pods away. */
    shrinksTo: async (deployment: string, replicas: number): Promise<void> => {
      await this.#until(this.#ref('apps/v1', 'Deployment', deployment), `has at most ${replicas} pods`, (now) => {
        const left = Math.max(raw(now)?.spec.replicas ?? 0, raw(now)?.status?.replicas ?? 0);
        return left <= replicas;
      });
    },
    isGone: async (apiVersion: string, kind: string, name: string): Promise<void> => {
      await this.#until(this.#ref(apiVersion, kind, name), 'is gone', (now) => now === undefined);
    },
    /** I10: a client that sends requests continuously sees no error that the application did not make. */
    nothingWasLost: (): void => {
      expect(
        this.#users.flatMap((users) => users.lost()),
        this.#hint(),
      ).toEqual([]);
    },
  };

  /** Ends all users: the following steps lose requests on purpose. */
  async usersLeave(): Promise<void> {
    await Promise.all(this.#users.map((users) => users.stop()));
  }

  /** Weights of the canary since the last `when`, each once in a row. */
  weights(): number[] {
    return this.#statuses.map((status) => status.canaryWeight).filter((weight, index, all) => weight !== all[index - 1]);
  }

  phases(): Phase[] {
    return this.#statuses.map((status) => status.phase).filter((phase, index, all) => phase !== all[index - 1]);
  }

  condition(): { status?: string; reason?: string; message?: string } {
    return raw(this.#canary)?.status?.conditions?.find(({ type }: { type: string }) => type === 'Promoted') ?? {};
  }

  get #app(): AppName {
    return { name: APP, namespace: this.namespace };
  }

  get #host(): string {
    return this.#fixture?.host(this.#app) ?? `${APP}.${this.namespace}`;
  }

  get #headers(): Record<string, string> {
    return this.#fixture?.headers?.(this.#app) ?? {};
  }

  get #canaryRef(): ObjectRef {
    return this.#ref('flagger.app/v1beta1', 'Canary', APP);
  }

  #ref(apiVersion: string, kind: string, name: string): ObjectRef {
    return { apiVersion, kind, name, namespace: this.namespace };
  }

  #follow(): void {
    const learn = (object: KubeObject | undefined) => {
      this.#canary = object;
      const { status } = raw(object) ?? {};
      if (!status) return;
      const { phase, canaryWeight, iterations, failedChecks, release } = status;
      this.#statuses.push({ phase, canaryWeight, iterations, failedChecks, ...(release ? { step: release.step, run: release.run } : {}) });
      this.#look();
    };
    this.#watch = this.#environment.cluster.watch(
      { apiVersion: 'flagger.app/v1beta1', kind: 'Canary', namespace: this.namespace },
      { onEvent: ({ type, object }) => learn(type === 'DELETED' ? undefined : object), onList: ([object]) => learn(object) },
    );
  }

  async #seen(what: string, isSo: (status: SeenStatus) => boolean, boundMs = BOUND_MS): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const cancel = world().clock.setTimer(boundMs, () => {
      const seen = this.#statuses.map((s) => `${s.phase} ${s.canaryWeight}% iteration ${s.iterations} failed ${s.failedChecks} ${s.step}`);
      reject(
        new Error(
          `the canary ${what}: not within ${boundMs / 1000} s. Seen:\n${seen.join('\n')}\n${describeObject(this.#canary)}${this.#hint()}`,
        ),
      );
    });
    this.#look = () => {
      if (this.#statuses.some(isSo)) resolve();
    };
    this.#look();
    try {
      await promise;
    } finally {
      cancel();
      this.#look = () => undefined;
    }
  }

  async #runs(deployment: string, version: string): Promise<void> {
    await this.#until(this.#ref('apps/v1', 'Deployment', deployment), `runs version ${version}`, (now) => {
      const { status = {}, spec } = raw(now) ?? {};
      return (
        spec?.template.spec.containers[0].image === `${APP}:${version}` &&
        status.observedGeneration === now?.metadata.generation &&
        status.updatedReplicas > 0 &&
        status.availableReplicas === status.updatedReplicas
      );
    });
  }

  /** Waits for this number of answers in a row: while a proxy reloads, its old and new processes answer side by side. */
  #untilAnswers(url: string): Promise<void> {
    let inARow = 0;
    return this.#eventually(
      `${url} serves`,
      async () => {
        const { status } = await ask(url, this.#host, this.#headers);
        inARow = status === 200 ? inARow + 1 : 0;
        return status;
      },
      () => inARow === ANSWERS_IN_A_ROW,
    );
  }

  /** Answers to four users at each proxy: versions, or reasons for lost requests. */
  async #round(headers: Record<string, string>): Promise<(string | undefined)[]> {
    const all = { ...this.#headers, ...headers };
    const answers = await Promise.all(this.#environment.mesh.urls.flatMap((url) => [1, 2, 3, 4].map(() => ask(url, this.#host, all))));
    return [...new Set(answers.map((answer) => answer.version ?? answer.lost))];
  }

  /** Polls values that cannot be watched, within the bound. */
  async #eventually<T>(what: string, look: () => Promise<T>, isSo: (seen: T) => boolean): Promise<void> {
    await eventually(what, look, isSo, () => this.#hint());
  }

  #until(ref: ObjectRef, what: string, isSo: (now: KubeObject | undefined) => boolean | undefined) {
    return until(this.#environment.cluster, ref, what, isSo, { hint: () => this.#hint() });
  }

  #hint(): string {
    return `controller log: ${this.#controller.logFile}\n${this.#controller.logOf(`${this.namespace}/${APP}`)}\n`;
  }
}

function containerOf(version: string, variables: Record<string, string>) {
  const env = Object.entries(variables).map(([name, value]) => ({ name, value }));
  return {
    name: 'web',
    image: `${APP}:${version}`,
    ports: [{ name: 'http', containerPort: 9898 }],
    // An empty list is not what `kubectl rollout undo` puts back.
    ...(env.length === 0 ? {} : { env }),
  };
}

/** Makes tests that are one scenario each, in a namespace of its own. */
export function scenarioTests(environmentOf: () => Environment, controllerOf: () => ControllerProcess, fixture?: ProviderFixture) {
  return (title: string, namespace: string, run: (scenario: Scenario) => Promise<void>): void => {
    it(title, async () => {
      const scenario = await Scenario.begin(environmentOf(), controllerOf(), namespace, fixture);
      try {
        await run(scenario);
      } finally {
        await scenario.end();
      }
    });
  };
}
