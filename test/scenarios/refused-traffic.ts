import { expect, it } from 'vitest';
import type { KubeObject } from '../../src/api/kube-object.ts';
import { raw } from '../fakes/raw.ts';
import type { ControllerProcess } from './controller.ts';
import type { Environment } from './environment.ts';
import type { StartApplication } from './kinds/application.ts';
import { APP, Scenario } from './scenario.ts';
import { until } from './until.ts';

const CANARY = { apiVersion: 'flagger.app/v1beta1', kind: 'Canary', name: APP };
const ASKED = 'example.org/nearest';
const MENDED = 'PreferSameZone';

/**
 * Traffic settings for the Services of a target that has no Services of ours, where nothing supports them. For Deployments and DaemonSets see the steered
 * releases.
 */
export function describeRefusedTraffic(
  environmentOf: () => Environment,
  controllerOf: () => ControllerProcess,
  kinds: Readonly<Record<string, StartApplication>>,
): void {
  it.concurrent.each(Object.entries(kinds))(
    'a trafficDistribution that a %s target cannot have is reported with field, value and remedy, blocks no release, and is no longer reported once it is corrected',
    async (kind, start) => {
      const { cluster } = environmentOf();
      const scenario = await Scenario.begin(environmentOf(), controllerOf(), `refused-${kind.toLowerCase().replaceAll(' ', '-')}`);
      const { given, when, then, namespace } = scenario;
      const app = start(cluster, namespace);
      const canary = { ...CANARY, namespace };
      const service = (name: string) => cluster.get({ apiVersion: 'v1', kind: 'Service', name, namespace });
      try {
        await app.create();
        await given.itServes();
        await given.aCanary(
          { stepWeight: 50, maxWeight: 50, metrics: [] },
          { ...app.spec, service: { port: 80, trafficDistribution: ASKED } },
        );
        await then.itIsReported('ServiceTrafficRejected', /^spec\.service\.trafficDistribution: .*"example\.org\/nearest".*remove it/i);
        await when.thisHappens(() => app.push('2'));
        await then.releaseEnds('Succeeded');
        await app.primaryRuns('2');
        expect((await service(`${APP}-primary`))?.spec ?? {}).not.toHaveProperty('trafficDistribution');

        // Knative Services have no field for it, so every value is refused.
        const mended = kind === 'Service' ? MENDED : null;
        await when.canaryIsEdited({ service: { trafficDistribution: mended } });
        await until(cluster, canary, 'is no longer reported', (now) => now !== undefined && !isReported(now));
        await when.thisHappens(() => app.push('3'));
        await then.releaseEnds('Succeeded');
        await app.primaryRuns('3');
        expect(isReported(await cluster.get(canary))).toBe(false);
        if (mended !== null)
          for (const name of ['primary', 'canary']) expect(raw(await service(`${APP}-${name}`))?.spec.trafficDistribution).toBe(mended);
      } finally {
        await scenario.end();
      }
    },
  );
}

function isReported(canary: KubeObject | undefined): boolean {
  const conditions: { type: string; status: string }[] = raw(canary)?.status?.conditions ?? [];
  return conditions.some(({ type, status }) => type === 'ServiceTrafficRejected' && status !== 'False');
}
