import { readValues } from '../../../src/cli/rights/values.ts';
import type { AuthorizedRequest } from '../../../src/embedded/apiserver/index.ts';
import { definitionOf, FURTHER_KINDS } from '../../fakes/further-kinds.ts';
import { raw } from '../../fakes/raw.ts';
import { type Grant, Rbac } from '../../fakes/rbac.ts';
import { type ControllerProcess, newLogFile, startController } from '../controller.ts';
import { type Environment, startVirtualEnvironment } from '../environment.ts';
import type { StartApplication } from '../kinds/application.ts';
import { canaryFor } from '../providers/canary-for.ts';
import type { ProviderFixture } from '../providers/provider-fixture.ts';
import { APP, Scenario } from '../scenario.ts';
import { until } from '../until.ts';
import { hold, leave, play } from '../world.ts';
import { ACCOUNT, manifestsIn, printedRights } from './printed-rights.ts';

/** A choice of values, and an application with its Canary. */
export interface RightsScenario {
  name: string;
  /** Values of the chart. */
  values: object;
  fixture?: ProviderFixture;
  /** Replaces the Deployment. */
  application?: StartApplication;
  /** Laid over the spec of the Canary, and over its analysis. */
  spec?: (namespace: string) => object;
  analysis?: (scenario: Scenario) => { webhooks?: object[] } & Record<string, unknown>;
  /** Makes what the Canary finds; default: a Deployment and its Service. */
  given?: (scenario: Scenario, environment: Environment) => Promise<void>;
  push?: (version: string, env: Record<string, string>, scenario: Scenario, environment: Environment) => Promise<void>;
  /** Edits the spec of the Canary before the second version; the rights are printed again. */
  edit?: object;
  /** After both versions, before the Canary is deleted. */
  more?: (scenario: Scenario, environment: Environment) => Promise<void>;
}

export interface RightsRun {
  /** Requests of the controller that its printed rights did not allow. */
  refused: string[];
  /** Printed and never used. */
  unused: Grant[];
  grants: readonly Grant[];
}

/** The embedded cluster has no Jobs. */
const OF_BATCH = ['CronJob', 'Job'].map((kind) => ({ group: 'batch', versions: ['v1'], kind }));
export const NAMESPACE = 'shop';
const CANARY = { apiVersion: 'flagger.app/v1beta1', kind: 'Canary', name: APP, namespace: NAMESPACE };

/**
 * The life of a Canary under the rights that `serin rights` prints for it: its primary is created, a bad version is rolled back, a good one is promoted, the
 * controller is started once more, and the Canary is deleted. `change` edits the printed rights before they are granted.
 */
export async function runUnderRights(one: RightsScenario, change: (rights: string) => string = (rights) => rights): Promise<RightsRun> {
  const asked: AuthorizedRequest[] = [];
  const refused: string[] = [];
  let rbac: Rbac | undefined;
  const authorize = (request: AuthorizedRequest): boolean => {
    if (request.userAgent !== 'serin-controller') return true;
    asked.push(request);
    if (rbac?.allows(request)) return true;
    refused.push(`${request.verb} ${request.group}/${request.resource} ${request.namespace}/${request.name}`);
    return false;
  };
  const environment = await startVirtualEnvironment({ authorize });
  const run = async (): Promise<RightsRun> => {
    const { cluster } = environment;
    let controller: ControllerProcess | undefined;
    const logFile = newLogFile();
    const process = { logFile, logOf: (canary: string) => controller?.logOf(canary) ?? '' };
    for (const kind of [...FURTHER_KINDS, ...OF_BATCH]) await cluster.apply(definitionOf(kind));
    await cluster.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: ACCOUNT.namespace } });
    const scenario = await Scenario.begin(environment, process, NAMESPACE);
    try {
      const app = (one.application ?? one.fixture?.application)?.(cluster, NAMESPACE);
      if (app) await app.create();
      else if (one.given) await one.given(scenario, environment);
      else await scenario.given.aDeployment();
      const named = { name: APP, namespace: NAMESPACE };
      for (const object of one.fixture?.objects?.(named) ?? []) await cluster.apply(object, { fieldManager: 'user' });
      const { analysis: _, ...ofProvider } = one.fixture ? raw(canaryFor(one.fixture, named, {})).spec : {};
      const verdict = { name: 'verdict', type: 'rollout', url: scenario.hooks.url('verdict') };
      const { webhooks = [], ...other } = one.analysis?.(scenario) ?? {};
      const analysis = { stepWeight: 30, maxWeight: 60, unmeasured: 'hold', metrics: [], ...other, webhooks: [verdict, ...webhooks] };
      // The Canary is created now, and awaited once a controller can create its primary.
      const initialized = scenario.given.aCanary(analysis, {
        ...ofProvider,
        revertOnDeletion: true,
        ...app?.spec,
        ...one.spec?.(NAMESPACE),
      });
      initialized.catch(() => undefined);
      await until(cluster, CANARY, 'is made', (now) => now !== undefined);
      const granted = async () => new Rbac(change(await hold(printedRights(one.values, await manifestsIn(cluster)))), ACCOUNT);
      rbac = await granted();
      const flags = Object.fromEntries(
        readValues({ ...one.values }, ACCOUNT).args.map((arg) => {
          const [, flag = '', value = ''] = /^--([^=]+)=(.*)$/.exec(arg) ?? [];
          return [flag, value];
        }),
      );
      const start = () => startController(environment, flags, logFile);
      controller = start();
      await initialized;
      const push = async (version: string, env: Record<string, string> = {}) => {
        if (app) await scenario.when.thisHappens(() => app.push(version, env));
        else if (one.push) await scenario.when.thisHappens(() => one.push?.(version, env, scenario, environment) ?? Promise.resolve());
        else await scenario.when.imageChanges(version, env);
      };
      scenario.hooks.answers('verdict', 500);
      await push('2');
      await scenario.then.releaseEnds('Failed');
      scenario.hooks.answers('verdict', 200);
      if (one.edit) {
        await cluster.patch(CANARY, { spec: one.edit });
        rbac = await granted();
      }
      await push('3');
      await scenario.then.releaseEnds('Succeeded');
      await one.more?.(scenario, environment);
      await controller.stop();
      controller = start();
      await scenario.when.canaryIsDeleted();
      await until(cluster, CANARY, 'is gone', (now) => now === undefined);
      return { refused: [...new Set(refused)], unused: rbac.unused(asked), grants: rbac.grants };
    } catch (error) {
      throw new Error(`${one.name}, refused: ${[...new Set(refused)].join('; ')}`, { cause: error });
    } finally {
      await scenario.end();
      await controller?.stop();
    }
  };
  try {
    return await play(run);
  } finally {
    await play(() => environment.stop());
    leave();
  }
}
