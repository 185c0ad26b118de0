import { expect, it } from 'vitest';
import { raw } from '../fakes/raw.ts';
import { App } from './adversity/app.ts';
import { keepChronicle, type Moment } from './adversity/chronicle.ts';
import { Lab } from './adversity/lab.ts';
import type { Environment } from './environment.ts';

const READS = /^(get|list|watch) /;

/** The emergency stop. Counts requests, so that no other controller may run on the environment. */
export function describeSuspension(environmentOf: () => Environment): void {
  it('suspend is the emergency stop: routes set by hand stay, outlive a restart, and the release goes on when it is lifted', async () => {
    const lab = await Lab.open(environmentOf(), { namespace: 'suspension', scaleDownDelay: '500ms', interval: '500ms' });
    try {
      const app = new App(lab, 'podinfo');
      await app.create();
      lab.startController();
      await app.createCanary('istio', { interval: '1s', threshold: 3, stepWeight: 10, maxWeight: 90 });
      await app.becomesIdle('Initialized');
      const atRest = await lab.cluster.get(app.route);
      const run = await app.run();
      await app.deploy('2');
      await lab.until(app.canary, 'is at 20%', (now) => raw(now)?.status?.canaryWeight >= 20);
      await lab.cluster.patch(app.canary, { spec: { suspend: true } });
      await lab.until(app.canary, 'has seen it', (now) => raw(now)?.status?.release?.suspended === true);
      await lab.settled(1_500);
      await app.routeByHand(raw(atRest)?.spec.http);
      const chronicle = await keepChronicle(lab);
      const generationOf = new Map(chronicle.moments().map(({ kind, name, object }) => [`${kind} ${name}`, object.metadata.generation]));
      const known = chronicle.moments().length;
      const before = lab.requests();
      await lab.stopController('KILL');
      lab.startController();
      await lab.controllerIsUp();
      await lab.settled(3_000);
      expect(Object.keys(lab.requestsSince(before)).filter((what) => !READS.test(what))).toEqual([]);
      // The statuses of Deployments go on: pods that were sent away before come to their end.
      const isWritten = ({ kind, name, object }: Moment) =>
        kind !== 'Deployment' || object.metadata.generation !== generationOf.get(`${kind} ${name}`);
      expect(chronicle.moments().slice(known).filter(isWritten)).toEqual([]);
      expect((await lab.cluster.get(app.route))?.spec).toMatchObject({ http: raw(atRest)?.spec.http });
      chronicle.stop();

      await lab.cluster.patch(app.canary, { spec: { suspend: false } });
      expect(await app.ends(run)).toBe('Succeeded');
      expect(await app.version(app.primary)).toBe('2');
    } finally {
      await lab.close();
    }
  });

  it('E52: a weight lowered by hand under suspend is the recorded one, also when suspend was lifted while Serin was down', async () => {
    const lab = await Lab.open(environmentOf(), { namespace: 'lowered', scaleDownDelay: '500ms', interval: '500ms' });
    try {
      const app = new App(lab, 'podinfo');
      await app.create();
      lab.startController();
      const closed = { name: 'gate', type: 'confirm-traffic-increase', url: 'http://127.0.0.1:1/' };
      await app.createCanary('istio', { interval: '1s', threshold: 3, stepWeight: 40, maxWeight: 80 });
      await app.becomesIdle('Initialized');
      await app.deploy('2');
      await lab.until(app.canary, 'is at 40%', (now) => raw(now)?.status?.canaryWeight === 40);
      await lab.cluster.patch(app.canary, { spec: { suspend: true, analysis: { webhooks: [closed] } } });
      await lab.until(app.canary, 'has seen it', (now) => raw(now)?.status?.release?.suspended === true);
      await lab.stopController('KILL');
      const route = await lab.cluster.get(app.route);
      const http = raw(route)?.spec.http.map((rule: { route: object[] }) => ({
        ...rule,
        route: rule.route.map((each, index) => ({ ...each, weight: index === 0 ? 95 : 5 })),
      }));
      await app.routeByHand(http);
      await lab.cluster.patch(app.canary, { spec: { suspend: false } });
      const written = (await lab.cluster.get(app.route))?.metadata.generation;
      lab.startController();
      const lowered = await lab.until(app.canary, 'records it', (now) => raw(now)?.status?.release?.suspended === undefined);
      expect(raw(lowered)?.status?.canaryWeight).toBe(5);
      const nextCheckMs = raw(lowered)?.status?.release.wakeAtMs;
      await lab.until(app.canary, 'has checked at that weight', (now) => raw(now)?.status?.release.wakeAtMs > nextCheckMs);
      expect((await lab.cluster.get(app.route))?.metadata.generation).toBe(written);
    } finally {
      await lab.close();
    }
  });
}
