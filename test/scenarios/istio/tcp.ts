import { describe, expect, it } from 'vitest';
import { weight } from '../../../src/api/routes.ts';
import { binomialBounds } from '../../fakes/binomial.ts';
import { istio } from '../providers/istio.ts';
import { SplitApp } from '../shares/split-app.ts';
import { ask } from './ask.ts';
import type { IstioEnvironment } from './places.ts';

const CONNECTIONS = 300;
const AT_ONCE = 20;
/** Chance of a false alarm. */
const ALARM = 1e-6;
const FIRST_PORT = 9000;

/** `service.appProtocol: tcp`: each connection goes to one side. Every application has a port of its own, which is all that a client says. */
export function describeTcp(environmentOf: () => IstioEnvironment, namespace: string): void {
  describe.concurrent('TCP', () => {
    it.each([0, 30, 100])('the canary gets %i % of the connections', async (percent) => {
      const port = FIRST_PORT + percent;
      const fixture = { ...istio, service: () => ({ port, targetPort: 'http', portName: 'tcp-web', appProtocol: 'tcp' }) };
      const app = await SplitApp.run(environmentOf(), fixture, { name: `tcp-${percent}`, namespace });
      await app.route({ kind: 'weighted', canary: weight(percent) });
      let canary = 0;
      for (let asked = 0; asked < CONNECTIONS; asked += AT_ONCE) {
        const answers = await Promise.all(Array.from({ length: AT_ONCE }, () => ask(environmentOf(), { host: app.host, port })));
        expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
        canary += answers.filter(({ version }) => version === '2').length;
      }
      const { least, most } = binomialBounds(CONNECTIONS, percent / 100, ALARM);
      expect(canary).toBeGreaterThanOrEqual(least);
      expect(canary).toBeLessThanOrEqual(most);
    });
  });
}
