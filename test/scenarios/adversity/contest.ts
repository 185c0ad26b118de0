import { raw } from '../../fakes/raw.ts';
import type { Environment } from '../environment.ts';
import { monotonicMs, sleep } from '../world.ts';
import { App } from './app.ts';
import { keepChronicle, type Moment } from './chronicle.ts';
import { Lab } from './lab.ts';
import { declaredBy, startSelfHealer } from './self-healer.ts';

export interface Contest {
  verdict: string;
  primaryVersion: string;
  /** Writes of Serin by `Kind/name`, of what the other reverts. */
  bySerin: Record<string, number>;
  byHealer: Record<string, number>;
  healerErrors: string[];
  /** From the start of the healer to its end, milliseconds. */
  lastedMs: number;
  /** Messages of the condition Contested, each once. */
  contested: string[];
}

/** A release under a self-healer that reverts replicas, routes and the apex selector, watched for `durationMs` from its start. */
export async function playContest(environment: Environment, { durationMs, seed }: { durationMs: number; seed: number }): Promise<Contest> {
  const lab = await Lab.open(environment, { namespace: `contest-${seed}`, scaleDownDelay: '500ms', interval: '500ms' });
  try {
    const app = new App(lab, 'podinfo');
    await app.create();
    lab.startController();
    await app.createCanary('istio', { interval: '500ms', threshold: 4, stepWeight: 30, maxWeight: 60 });
    await app.becomesIdle('Initialized');
    const declared = await declaredBy(app, lab);
    const chronicle = await keepChronicle(lab);
    const fromVersion = Math.max(...chronicle.moments().map(({ version }) => version));
    const beganMs = monotonicMs();
    const healer = await startSelfHealer(lab.cluster, declared, seed);
    // The release starts in the middle of the contest for what is idle: the target at zero, and the selector.
    await Promise.all([healer.hasHealed('Deployment/podinfo'), healer.hasHealed('Service/podinfo')]);
    const startedMs = monotonicMs();
    const run = await app.run();
    await app.deploy('2');
    await sleep(Math.max(0, durationMs - (monotonicMs() - startedMs)));
    await healer.stop();
    const lastedMs = monotonicMs() - beganMs;
    // Nothing advances while the routes are contested (E63a).
    const verdict = await app.ends(run);
    chronicle.stop();
    const moments = chronicle.moments();
    return {
      verdict,
      primaryVersion: await app.version(app.primary),
      bySerin: writesOf(moments, fromVersion, healer.versions()),
      byHealer: healer.writes(),
      healerErrors: healer.errors(),
      lastedMs,
      contested: contestedIn(moments),
    };
  } finally {
    await lab.close();
  }
}

/** Changes of a spec that the healer did not make; the target's template is the user's. */
function writesOf(moments: readonly Moment[], fromVersion: number, foreign: ReadonlySet<string>): Record<string, number> {
  const before = new Map<string, string>();
  const counts: Record<string, number> = {};
  for (const { version, kind, name, object } of moments) {
    const key = `${kind}/${name}`;
    const held = JSON.stringify(kind === 'Deployment' ? raw(object).spec.replicas : object.spec);
    const isChange = before.has(key) && before.get(key) !== held;
    before.set(key, held);
    if (kind === 'Canary' || version <= fromVersion || !isChange || foreign.has(String(version))) continue;
    counts[key] = (counts[key] ?? 0) + 1;
  }
  return counts;
}

function contestedIn(moments: readonly Moment[]): string[] {
  const conditions = moments.flatMap(({ object }) => (raw(object).status?.conditions ?? []) as { type: string; message?: string }[]);
  return [...new Set(conditions.filter(({ type }) => type === 'Contested').map(({ message }) => message ?? ''))];
}
