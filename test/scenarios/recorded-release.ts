import { readFileSync, rmSync } from 'node:fs';
import { newLogFile, startController } from './controller.ts';
import { startVirtualEnvironment } from './environment.ts';
import { Scenario } from './scenario.ts';
import { play, sleep } from './world.ts';

const KINDS = [
  { apiVersion: 'flagger.app/v1beta1', kind: 'Canary' },
  { apiVersion: 'apps/v1', kind: 'Deployment' },
  { apiVersion: 'apps/v1', kind: 'ControllerRevision' },
  { apiVersion: 'networking.istio.io/v1', kind: 'VirtualService' },
  { apiVersion: 'v1', kind: 'Pod' },
  { apiVersion: 'v1', kind: 'Event' },
];

export interface Recorded {
  scenario: Scenario;
  /** Ends the controller as `kill -9` does, and starts another one after this time. */
  kill(downMs: number): Promise<void>;
}

/** A release from bootstrap to its verdict: every line of the controller's log, every object, every count of the mesh. */
export async function recordRelease(seed: number, release: (recorded: Recorded) => Promise<void>): Promise<string> {
  const environment = await startVirtualEnvironment({ seed });
  return play(async () => {
    const logFile = newLogFile();
    let controller = startController(environment, {}, logFile);
    const kill = async (downMs: number): Promise<void> => {
      await controller.stop('KILL');
      await sleep(downMs);
      controller = startController(environment, {}, logFile);
    };
    const scenario = await Scenario.begin(environment, controller, 'recorded');
    try {
      await release({ scenario, kill });
      const objects = await Promise.all(KINDS.map((kind) => environment.cluster.list({ ...kind, namespace: scenario.namespace })));
      const left = { objects, counts: environment.mesh.counts(), requests: environment.requestCounts() };
      await controller.stop();
      return `${readFileSync(logFile, 'utf8')}\n${JSON.stringify(left, null, 1)}`;
    } finally {
      await scenario.end();
      await controller.stop('KILL');
      await environment.stop();
      rmSync(logFile);
    }
  });
}

const METRICS = [{ name: 'request-success-rate', interval: '4s', thresholdRange: { min: 99 } }];

async function healthy({ scenario: { given, when, then } }: Recorded): Promise<void> {
  await given.aDeployment();
  given.users();
  await given.aCanary({ stepWeight: 20, maxWeight: 60, metrics: METRICS });
  await when.imageChanges('2');
  await then.releaseEnds('Succeeded');
  await then.primaryRuns('2');
  then.nothingWasLost();
}

/** The gate lets no luck promote it. */
async function badAndKilled({ scenario: { given, when, then }, kill }: Recorded): Promise<void> {
  await given.aDeployment();
  given.users();
  await given.aCanary({ stepWeight: 20, maxWeight: 60, metrics: METRICS, webhooks: given.aClosedGate() });
  await when.imageChanges('2', { ERROR_RATE: '0.5' });
  await then.canaryReceives(20);
  await kill(700);
  await then.releaseEnds('Failed');
  await then.primaryRuns('1');
  then.nothingWasLost();
}

/** Releases that are to be the same for the same seed. */
export const releases = [
  { what: 'a healthy release', release: healthy, ends: '"phase":"Succeeded"' },
  { what: 'a bad release whose controller is killed', release: badAndKilled, ends: '"phase":"Failed"' },
];
