import { describe, expect, it } from 'vitest';
import { type Routes, weight } from '../../../src/api/routes.ts';
import { binomialBounds } from '../../fakes/binomial.ts';
import { eventually } from '../eventually.ts';
import { istio } from '../providers/istio.ts';
import { SplitApp } from '../shares/split-app.ts';
import { ask } from './ask.ts';
import type { IstioEnvironment } from './places.ts';

const REQUESTS = 400;
const AT_ONCE = 20;
/** Chance of a false alarm. */
const ALARM = 1e-6;
const FAILS_LATE = { ERROR_RATE: '1', LATENCY_MS: '5000' };

const mirrored = (share: number): Routes => ({ kind: 'mirrored', share: weight(share) });

/** `analysis.mirror` and `mirrorWeight`: answers come from the primary, and the canary gets copies. */
export function describeMirroring(environmentOf: () => IstioEnvironment, namespace: string): void {
  describe.concurrent('mirroring', () => {
    it.each([100, 30, 1])('copies of %i % of the requests', async (share) => {
      const name = `mirror-${share}`;
      const app = await SplitApp.run(environmentOf(), istio, { name, namespace });
      await app.route(mirrored(share));
      for (let asked = 0; asked < REQUESTS; asked += AT_ONCE) {
        const answers = await Promise.all(Array.from({ length: AT_ONCE }, () => ask(environmentOf(), { host: app.host })));
        expect(answers.map(({ status, version }) => `${status} ${version}`)).toEqual(answers.map(() => '200 1'));
      }
      const { least, most } = binomialBounds(REQUESTS, share / 100, ALARM);
      const copies = () => copiesTo(environmentOf(), `${namespace}/${name}`);
      expect(await eventually('the copies are counted', copies, (count) => count >= least)).toBeLessThanOrEqual(most);
    });

    it('a canary that fails late harms no user whose request is copied', async () => {
      const fixture = { ...istio, service: () => ({ timeout: '2s' }) };
      const app = await SplitApp.run(environmentOf(), fixture, { name: 'mirror-late', namespace }, { pods: { env: { 2: FAILS_LATE } } });
      await app.route(mirrored(100));
      const answers = await Promise.all(Array.from({ length: AT_ONCE }, () => ask(environmentOf(), { host: app.host })));
      expect(answers.map(({ status, version }) => `${status} ${version}`)).toEqual(answers.map(() => '200 1'));
    });
  });
}

/** A proxy counts by the Service of the canary, the embedded mesh by the pod. */
function copiesTo({ mesh }: IstioEnvironment, app: string): number {
  const { mirrored } = mesh.counts();
  return (mirrored[app] ?? 0) + (mirrored[`${app}-v2`] ?? 0);
}
