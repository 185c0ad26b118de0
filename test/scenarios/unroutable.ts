import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../src/api/kube-object.ts';
import { aController } from './controller.ts';
import type { Environment } from './environment.ts';
import { APP, Scenario } from './scenario.ts';
import { until } from './until.ts';

const apiVersion = 'networking.k8s.io/v1';
const PLAN = { stepWeight: 25, maxWeight: 50, metrics: [] };
const ROUTED = { provider: 'nginx', ingressRef: { apiVersion, kind: 'Ingress', name: APP } };
const MISSING = /no path of Ingress podinfo leads to Service podinfo: add one, or correct spec\.ingressRef or spec\.service\.name/;
const WEIGHT = 'nginx.ingress.kubernetes.io/canary-weight';
const leadingTo = (service: string) => ({
  ingressClassName: 'nginx',
  rules: [
    {
      host: 'shop.example.org',
      http: { paths: [{ path: '/', pathType: 'Prefix', backend: { service: { name: service, port: { number: 80 } } } }] },
    },
  ],
});

/** Providers whose own object has no place for the weight: none is reported, and a release ends at its deadline (E96, D10). */
export function describeUnroutable(environmentOf: () => Environment): void {
  describe('an Ingress that lacks the backend', () => {
    const controllerOf = aController(environmentOf);

    const scenarioTest = (
      title: string,
      namespace: string,
      run: (scenario: Scenario, ingress: ReturnType<typeof ingressIn>) => Promise<void>,
    ): void => {
      it(title, async () => {
        const scenario = await Scenario.begin(environmentOf(), controllerOf(), namespace);
        try {
          await scenario.given.aDeployment();
          scenario.given.users();
          await run(scenario, ingressIn(environmentOf(), namespace));
          scenario.then.nothingWasLost();
        } finally {
          await scenario.end();
        }
      });
    };

    scenarioTest(
      'after an edit of the provider: no weight is reported, and the release is rolled back',
      'edited',
      async (scenario, ingress) => {
        const { given, when, then } = scenario;
        await ingress.create('elsewhere');
        await given.aCanary(PLAN, { provider: 'istio' });
        await when.canaryIsEdited(ROUTED);
        await then.itIsReported('Promoted', MISSING);
        await when.imageChanges('2');
        await then.statusWas('is in a release', ({ phase, step }) => phase === 'Progressing' && step !== 'resting');
        await then.itIsReported('Promoted', MISSING);
        await when.deadlineIs(5);
        await then.releaseEnds('Failed');
        expect(scenario.weights()).toEqual([0]);
        await then.itIsReported('Promoted', /no route could send traffic to the canary within 5 s: no path of Ingress podinfo/);
        await then.everyoneGets('1');
        expect(await ingress.copy()).toBeUndefined();
        await when.deadlineIs(600);
        await ingress.leadsTo(APP);
        await when.imageChanges('3');
        await then.releaseEnds('Succeeded');
        expect(scenario.weights().slice(0, 3)).toEqual([0, 25, 50]);
      },
    );

    scenarioTest(
      'before a release: it is reported while idle, and the release goes on when it is corrected',
      'lost-backend',
      async (scenario, ingress) => {
        const { given, when, then } = scenario;
        await ingress.create(APP);
        await given.aCanary(PLAN, ROUTED);
        await ingress.leadsTo('elsewhere');
        await then.itIsReported('Promoted', MISSING);
        await when.imageChanges('2');
        await then.statusWas('is in a release', ({ phase, step }) => phase === 'Progressing' && step !== 'resting');
        await then.scalesTo(APP, 2);
        await then.itIsReported('Promoted', MISSING);
        expect([scenario.weights(), await ingress.weight()]).toEqual([[0], '0']);
        await ingress.leadsTo(APP);
        await then.releaseEnds('Succeeded');
        expect(scenario.weights().slice(0, 3)).toEqual([0, 25, 50]);
        await then.primaryRuns('2');
      },
    );
  });
}

function ingressIn({ cluster }: Environment, namespace: string) {
  const ref = { apiVersion, kind: 'Ingress', name: APP, namespace };
  const copyRef = { ...ref, name: `${APP}-canary` };
  const copy = (): Promise<KubeObject | undefined> => cluster.get(copyRef);
  return {
    copy,
    weight: async () => (await copy())?.metadata.annotations?.[WEIGHT],
    create: (service: string) =>
      cluster.create({ apiVersion, kind: 'Ingress', metadata: { name: APP, namespace }, spec: leadingTo(service) }),
    async leadsTo(service: string) {
      await cluster.patch(ref, { spec: leadingTo(service) });
      await until(cluster, ref, `leads to ${service}`, (now) => JSON.stringify(now?.spec ?? {}).includes(`"${service}"`));
    },
  };
}
