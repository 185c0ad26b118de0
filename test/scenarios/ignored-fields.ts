import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../src/api/kube-object.ts';
import { raw } from '../fakes/raw.ts';
import { aController } from './controller.ts';
import type { Environment } from './environment.ts';
import { eventually } from './eventually.ts';
import { nginx } from './providers/nginx.ts';
import type { ProviderFixture } from './providers/provider-fixture.ts';
import { APP, Scenario } from './scenario.ts';

const insider = [{ headers: { 'x-user': { exact: 'insider' } } }];
const cookies = { cookieName: 'side' };

/** Flagger runs each of these: what the provider cannot express has no effect, and says so. */
const specs: { what: string; analysis: object; provider: string; field: string; fixture?: ProviderFixture }[] = [
  { what: 'match', analysis: { iterations: 2, match: insider }, provider: 'kubernetes', field: 'spec.analysis.match' },
  { what: 'mirror', analysis: { iterations: 2, mirror: true }, provider: 'kubernetes', field: 'spec.analysis.mirror' },
  {
    what: 'affinity',
    analysis: { iterations: 2, sessionAffinity: cookies },
    provider: 'kubernetes',
    field: 'spec.analysis.sessionAffinity',
  },
  { what: 'weights', analysis: { stepWeights: [50, 200] }, provider: 'smi:v1alpha2', field: 'spec.analysis.stepWeights[1]' },
  {
    what: 'smi',
    analysis: { stepWeight: 100, sessionAffinity: cookies },
    provider: 'smi:v1alpha2',
    field: 'spec.analysis.sessionAffinity',
  },
  {
    what: 'headers',
    analysis: { iterations: 2, match: [{ headers: { 'x-team': { exact: 'shop' } } }, ...insider] },
    provider: 'nginx',
    field: 'spec.analysis.match[0]',
    fixture: nginx,
  },
];

/** Fields without effect hold nothing up; a Canary that is refused is not healthy. */
export function describeIgnoredFields(environmentOf: () => Environment): void {
  describe.concurrent('a spec beyond its provider', () => {
    const controllerOf = aController(environmentOf);
    const eventsOf = async (scenario: Scenario, reason: string): Promise<KubeObject[]> => {
      const { items } = await environmentOf().cluster.list({ apiVersion: 'v1', kind: 'Event', namespace: scenario.namespace });
      return items.filter((event) => event.reason === reason);
    };

    it.each(specs)('E106: $what on $provider: the release runs, and a condition and one event name $field', async (one) => {
      const scenario = await Scenario.begin(environmentOf(), controllerOf(), `ignored-${one.what}`);
      const { given, when, then } = scenario;
      try {
        const app = { name: APP, namespace: scenario.namespace };
        for (const object of one.fixture?.objects?.(app) ?? []) await environmentOf().cluster.create(object);
        await given.aDeployment();
        await given.aCanary({ metrics: [], ...one.analysis }, { provider: one.provider, ...one.fixture?.spec?.(app) });
        await then.itIsReported('FieldIgnored', new RegExp(one.field.replace(/[.[\]]/g, '\\$&')));
        await when.imageChanges('2');
        await then.releaseEnds('Succeeded');
        await then.primaryRuns('2');
        expect(await eventsOf(scenario, 'FieldIgnored')).toMatchObject([{ message: expect.stringContaining(one.field) }]);
        expect((await eventsOf(scenario, 'FieldIgnored'))[0]?.count ?? 1).toBe(1);
      } finally {
        await scenario.end();
      }
    });

    it("E106: Flagger's object at service.sessionAffinity is dropped, and the Canary runs", async () => {
      const scenario = await Scenario.begin(environmentOf(), controllerOf(), 'ignored-object');
      try {
        await scenario.given.aDeployment();
        const service = { port: 80, targetPort: 'http', sessionAffinity: { cookieName: 'side', maxAge: 60 } };
        await scenario.given.aCanary({ metrics: [], iterations: 1 }, { provider: 'kubernetes', service });
      } finally {
        await scenario.end();
      }
    });

    it('E107: an edit that is refused makes Promoted Unknown, and its correction makes it True again', async () => {
      const { cluster } = environmentOf();
      const scenario = await Scenario.begin(environmentOf(), controllerOf(), 'refused-green');
      const promoted = async () => {
        const ref = { apiVersion: 'flagger.app/v1beta1', kind: 'Canary', name: APP, namespace: scenario.namespace };
        const conditions: { type: string; status: string }[] = raw(await cluster.get(ref))?.status?.conditions ?? [];
        return conditions.filter(({ type }) => type === 'Promoted').map(({ status }) => status);
      };
      try {
        await scenario.given.aDeployment();
        await scenario.given.aCanary({ metrics: [], stepWeight: 50 }, { provider: 'smi:v1alpha2' });
        await eventually('is healthy', promoted, ([status]) => status === 'True');
        await scenario.when.canaryIsEdited({ analysis: { mirror: true } });
        await eventually('is not healthy any more', promoted, ([status]) => status === 'Unknown');
        await scenario.when.canaryIsEdited({ analysis: { mirror: false } });
        await eventually('is healthy again', promoted, ([status]) => status === 'True');
      } finally {
        await scenario.end();
      }
    });

    it('E107: a Canary that is refused from the beginning is Unknown', async () => {
      const { cluster } = environmentOf();
      const namespace = 'refused-new';
      await cluster.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
      await cluster.create({
        apiVersion: 'flagger.app/v1beta1',
        kind: 'Canary',
        metadata: { name: APP, namespace },
        spec: {
          provider: 'smi:v1alpha2',
          targetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: APP },
          service: { port: 80 },
          analysis: { interval: '1s', threshold: 1, iterations: 2, match: insider },
        },
      });
      const ref = { apiVersion: 'flagger.app/v1beta1', kind: 'Canary', name: APP, namespace };
      const conditions = async (): Promise<{ type: string; status: string }[]> => raw(await cluster.get(ref))?.status?.conditions ?? [];
      const said = await eventually('is refused', conditions, (now) => now.some(({ type }) => type === 'Accepted'));
      expect(said.map(({ type, status }) => [type, status])).toEqual([
        ['Promoted', 'Unknown'],
        ['Accepted', 'False'],
      ]);
    });
  });
}
