import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { seededRandom } from '../../../src/embedded/mesh/random.ts';
import { raw } from '../../fakes/raw.ts';
import { startVirtualEnvironment } from '../environment.ts';
import { play, sleep } from '../world.ts';
import { App } from './app.ts';
import { keepChronicle, violationsIn } from './chronicle.ts';
import { startClients } from './clients.ts';
import { type Fault, startFaultyApi } from './faulty-api.ts';
import { ADVERSE, Lab, PROXIES_KNOW } from './lab.ts';

/** Share of the controller's requests that meet a fault; each seed has a share of its own. */
const SHARE = { least: 0.05, most: 0.3 };
const RELEASE_MS = 12_000;
const LONGEST_DOWN_MS = 3_000;
const CLIENTS_PAUSE_MS = 100;

type Harm = 'killed' | 'halted' | 'none';

export interface FaultyReport {
  seed: number;
  harm: Harm;
  faults: Partial<Record<Fault, number>>;
  verdict: string;
  /** Problems, in words; empty without problems. */
  wrong: string[];
}

/**
 * A release in a world of its own: odd seeds release a good version, even ones a bad one. Requests of the controller meet faults until the verdict, and at a
 * random moment it is killed or halted, or neither.
 */
export async function playFaultyRelease(seed: number): Promise<FaultyReport> {
  const environment = await startVirtualEnvironment({ ...ADVERSE, seed });
  return play(async () => {
    const random = seededRandom(seed);
    const harm: Harm = (['killed', 'halted', 'none'] as const)[Math.floor(random() * 3)] ?? 'none';
    const api = await startFaultyApi(readFileSync(environment.kubeconfigFile, 'utf8'), {
      random,
      share: SHARE.least + random() * (SHARE.most - SHARE.least),
    });
    const kubeconfig = join(environment.kubeconfigFile, '..', 'faulty');
    writeFileSync(kubeconfig, api.kubeconfig);
    const lab = await Lab.open(environment, {
      namespace: 'faulty',
      scaleDownDelay: PROXIES_KNOW,
      interval: '500ms',
      flags: { kubeconfig },
    });
    const chronicle = await keepChronicle(lab);
    const app = new App(lab, 'podinfo');
    await app.create();
    const clients = startClients(environment.mesh.urls, app.host, CLIENTS_PAUSE_MS);
    try {
      lab.startController();
      await app.createCanary('istio', {
        interval: '1s',
        threshold: 3,
        stepWeight: 25,
        maxWeight: 75,
        unmeasured: 'hold',
        metrics: [{ name: 'request-success-rate', interval: '3s', thresholdRange: { min: 90 } }],
      });
      await app.becomesIdle('Initialized');
      const isGood = seed % 2 === 1;
      await app.deploy('2', isGood ? {} : { ERROR_RATE: '1' });
      await sleep(random() * RELEASE_MS);
      await lab.harm(harm, random() * LONGEST_DOWN_MS);
      const verdict = await app.ends(0);
      api.heal();
      await lab.until(app.target, 'is scaled to zero', (now) => raw(now)?.spec.replicas === 0 && !raw(now).status?.replicas);
      const status = raw(await lab.cluster.get(app.canary))?.status;
      const primaryVersion = await app.version(app.primary);
      const expected = isGood ? { verdict: 'Succeeded', primary: '2' } : { verdict: 'Failed', primary: '1' };
      const wrong = [
        ...(verdict === expected.verdict
          ? []
          : [`ended ${verdict}: ${JSON.stringify([status?.release?.reason, status?.release?.verdicts])}`]),
        ...(primaryVersion === expected.primary ? [] : [`the primary runs version ${primaryVersion}`]),
        ...(status?.canaryWeight === 0 ? [] : [`the canary keeps ${status?.canaryWeight}%`]),
        ...violationsIn(chronicle.moments(), app, new Set(isGood ? ['1', '2'] : ['1'])),
        ...clients.unanswered(),
      ];
      return { seed, harm, faults: api.counts(), verdict, wrong };
    } finally {
      chronicle.stop();
      await clients.stop();
      await lab.close();
      await api.stop();
      await environment.stop();
    }
  });
}
