import { describe, expect, it } from 'vitest';
import { asKnativeService } from '../../../src/api/kinds/knative-service.ts';
import { seededRandom } from '../../../src/embedded/mesh/random.ts';
import { App } from '../adversity/app.ts';
import { type Chronicle, keepChronicle } from '../adversity/chronicle.ts';
import { type Clients, startClients } from '../adversity/clients.ts';
import { KILL_ANALYSIS, LONGEST_DOWN_MS } from '../adversity/kill-runs.ts';
import { Lab } from '../adversity/lab.ts';
import type { Environment } from '../environment.ts';
import { knative } from '../providers/knative.ts';
import { APP } from '../scenario.ts';
import { afterAll, beforeAll, sleep } from '../world.ts';
import type { Application } from './application.ts';
import { knativeApplication } from './knative.ts';

const RELEASE_MS = 4_500;
const NAMESPACE = 'knative-kills';

/** One `kill -9` in each release of a Knative Service, at the moment that the seed decides, and a restart: odd seeds release a good version. */
export function describeKnativeKills(environmentOf: () => Environment, seeds: readonly number[]): void {
  describe('kill -9 in releases of a Knative Service', () => {
    let lab: Lab;
    let app: App;
    let application: Application;
    let chronicle: Chronicle;
    let clients: Clients;
    let next = 2;
    let promoted = '1';
    const good = new Set(['1']);

    beforeAll(async () => {
      lab = await Lab.open(environmentOf(), { namespace: NAMESPACE, scaleDownDelay: '500ms', interval: '500ms' });
      app = new App(lab, APP, knative);
      application = knativeApplication(lab.cluster, NAMESPACE);
      chronicle = await keepChronicle(lab, [['serving.knative.dev/v1', 'Service']]);
      await application.create();
      lab.startController();
      await app.createCanary('knative', KILL_ANALYSIS);
      await app.becomesIdle('Initialized');
      clients = startClients(environmentOf().mesh.urls, app.host);
    });
    afterAll(async () => {
      chronicle?.stop();
      await clients?.stop();
      await lab?.close();
    });

    it.each(seeds)('in the middle of release %i changes neither its end nor I1, I3, and no request is lost', async (seed) => {
      const random = seededRandom(seed);
      const isGood = seed % 2 === 1;
      const version = String(next++);
      if (isGood) good.add(version);
      await lab.controllerIsUp();
      const run = await app.run();
      await application.push(version, isGood ? {} : { ERROR_RATE: '1' });
      await sleep(Math.round(random() * RELEASE_MS));
      await lab.stopController('KILL');
      await sleep(Math.round(random() * LONGEST_DOWN_MS));
      lab.startController();
      expect(await app.ends(run)).toBe(isGood ? 'Succeeded' : 'Failed');
      if (isGood) promoted = version;
      await application.primaryRuns(promoted);
      expect(faultsIn(chronicle, good)).toEqual([]);
      expect(clients.unanswered()).toEqual([]);
      expect(clients.answered).toBeGreaterThan(0);
    });
  });
}

/** Violations of I1 or I3 in the history of the Service, in words; versions have the numbers of their Revisions. */
function faultsIn(chronicle: Chronicle, good: ReadonlySet<string>): string[] {
  return chronicle.moments().flatMap(({ version, object }) => {
    const { metadata, spec } = asKnativeService(object);
    const traffic = spec?.traffic ?? [];
    const sum = traffic.reduce((total, { percent = 0 }) => total + percent, 0);
    const primary = metadata.annotations?.['flagger.app/primary-revision'];
    return [
      ...(traffic.length === 0 || sum === 100 ? [] : [`at ${version}: I1: shares sum to ${sum}`]),
      ...(primary === undefined || good.has(String(Number(primary.slice(-5)))) ? [] : [`at ${version}: I3: the primary became ${primary}`]),
    ];
  });
}
