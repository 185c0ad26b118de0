import { isDeepStrictEqual } from 'node:util';
import { describe, expect, it } from 'vitest';
import { weight } from '../../../src/api/routes.ts';
import { binomialBounds } from '../../fakes/binomial.ts';
import { eventually } from '../eventually.ts';
import { istio } from '../providers/istio.ts';
import { SplitApp } from '../shares/split-app.ts';
import { ask } from './ask.ts';
import { GATEWAY_NAME, type IstioEnvironment } from './places.ts';
import { TWO_PORTS } from './row.ts';

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

    it('of an existing Service with two ports, and a gateway: each port leads to its own', async () => {
      const service = { port: 9200, targetPort: 'http', portName: 'tcp-web', appProtocol: 'tcp', gateways: [GATEWAY_NAME, 'mesh'] };
      const fixture = { ...istio, service: () => ({ ...service, hosts: ['tcp.example'] }) };
      const found = [
        { name: 'tcp-web', port: 9200, targetPort: 'http', appProtocol: 'tcp' },
        { name: 'tcp-admin', port: 9201, targetPort: 9090, appProtocol: 'tcp' },
      ];
      const app = await SplitApp.run(
        environmentOf(),
        fixture,
        { name: 'tcp-two', namespace },
        { pods: { ports: TWO_PORTS.ports ?? [], found } },
      );
      // The gateway of the environment is one of HTTP, and never knows of it.
      await app.write({ kind: 'weighted', canary: weight(100) });
      const answers = () =>
        Promise.all(
          [9200, 9201].map((port) =>
            ask(environmentOf(), { host: app.host, port }).then(
              ({ version, port: at }) => ({ version, at }),
              () => undefined,
            ),
          ),
        );
      const expected = [
        { version: '2', at: 8080 },
        { version: '1', at: 9090 },
      ];
      await eventually('each port leads to its own', answers, (got) => isDeepStrictEqual(got, expected));
    });
  });
}
