import { raw } from '../../fakes/raw.ts';
import type { Environment } from '../environment.ts';
import { eventually } from '../eventually.ts';
import { monotonicMs, sleep } from '../world.ts';
import { App, type Provider } from './app.ts';
import { startClients } from './clients.ts';
import { Lab } from './lab.ts';

export interface HealthyRelease {
  provider: Provider;
  /** Its own namespace: several can run on one environment at a time. */
  namespace: string;
  scaleDownDelay: string;
  interval: string;
  /** Answers before the scenario ends: fewer would say little about what is lost. A busy machine takes longer for them. */
  leastAnswers: number;
}

export interface Account {
  lost: string[];
  verdict: string;
}

/** The whole stay of Serin at one application: bootstrap, a promoted release, deletion of the Canary; under clients that never stop. */
export async function playHealthyRelease(
  environment: Environment,
  { provider, leastAnswers, ...options }: HealthyRelease,
): Promise<Account> {
  const lab = await Lab.open(environment, options);
  try {
    const app = new App(lab, 'podinfo');
    await app.create();
    const clients = startClients(environment.mesh.urls, app.host);
    const marks: string[] = [];
    const mark = (what: string) => marks.push(`${what}: ${clients.failures} lost so far`);
    lab.startController();
    await app.createCanary(provider, { interval: options.interval, threshold: 3, ...planFor(provider) });
    await app.becomesIdle('Initialized');
    mark('initialized');
    const run = await app.run();
    await app.deploy('2');
    const verdict = await app.ends(run);
    mark('released');
    await lab.cluster.delete(app.canary);
    await lab.until(app.primary, 'is gone', (now) => now === undefined);
    await lab.until(app.target, 'serves again', (now) => raw(now)?.status?.availableReplicas === 3);
    // Every proxy has seen the end before the clients stop looking; others on this environment may keep them busy for ever.
    const deadlineMs = monotonicMs() + 30_000;
    while (environment.mesh.pending() > 0 && monotonicMs() < deadlineMs) await sleep(50);
    await eventually(`${leastAnswers} answers`, () => clients.answered >= leastAnswers);
    mark('deleted');
    await clients.stop();
    const lost = clients.lost();
    return { lost: lost.length > 0 ? [...marks, ...lost] : [], verdict };
  } finally {
    await lab.close();
  }
}

function planFor(provider: Provider) {
  return provider === 'kubernetes' ? { iterations: 2 } : { stepWeight: 50, maxWeight: 50 };
}
