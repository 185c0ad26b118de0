import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../src/api/kube-object.ts';
import { ApiError } from '../../src/kube/errors.ts';
import { type Raw, raw } from '../fakes/raw.ts';
import { aController } from './controller.ts';
import type { Environment } from './environment.ts';
import { badCanaries } from './troubles/bad-canaries.ts';
import { aCanary, aDeployment, aService, makeNamespace, push } from './troubles/objects.ts';
import { aReportWatch, type CanaryReport } from './troubles/report-watch.ts';

/** Manifests that cannot work, each refused by the API server or by a condition and an event that name the field. */
export function describeBadInput(environmentOf: () => Environment): void {
  describe('bad input', () => {
    aController(environmentOf);
    const reportsOf = aReportWatch(environmentOf);

    const names = (report: CanaryReport, field: string): boolean =>
      report.conditions.some(({ status, message }) => status !== 'True' && message.includes(field)) &&
      report.events.some((event) => event.includes(field));

    /** Undefined when the refusal names the field; else what was said instead. */
    async function silence(canary: KubeObject, field: string): Promise<string | undefined> {
      const { name, namespace = '' } = canary.metadata;
      try {
        await environmentOf().cluster.create(canary);
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        return error.message.includes(field) ? undefined : `the API server said ${error.message.slice(0, 300)}`;
      }
      return reportsOf()
        .until(namespace, name, field, (report) => names(report, field))
        .then(
          () => undefined,
          (error: Error) => error.message,
        );
    }

    it('I12: each of a hundred bad Canaries reports which field is wrong, harms no other, and costs its target nothing', async () => {
      const { cluster } = environmentOf();
      expect(badCanaries.length).toBeGreaterThanOrEqual(60);
      await makeNamespace(cluster, 'healthy');
      await cluster.create(aDeployment('healthy', 'web'));
      await cluster.create(aCanary('healthy', 'web'));
      await makeNamespace(cluster, 'bad');
      const unsaid: string[] = [];
      for (const [index, { title, field, make }] of badCanaries.entries()) {
        const name = `app-${index}`;
        await cluster.create(aDeployment('bad', name));
        const said = await silence(make('bad', name), field);
        if (said !== undefined) unsaid.push(`${title} (${field}): ${said}`);
        if (index !== 20) continue;
        // Before that a push would be part of the bootstrap, and no release.
        await reportsOf().until('healthy', 'web', 'its bootstrap', ({ phase }) => phase === 'Initialized');
        await push(cluster, 'healthy', 'web', '2');
      }
      expect(unsaid).toEqual([]);
      await reportsOf().until('healthy', 'web', 'success', ({ phase }) => phase === 'Succeeded');

      const { items } = await cluster.list({ apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'bad' });
      expect(items.filter(({ spec }: Raw) => spec.replicas !== 1).map(({ metadata }) => metadata.name)).toEqual([]);
      expect(items.filter(({ metadata }) => metadata.name.endsWith('-primary')).map(({ metadata }) => metadata.name)).toEqual([]);
    });

    it('I12: problems that only the cluster shows are also reported with their field', async () => {
      const { cluster } = environmentOf();
      await makeNamespace(cluster, 'worse');
      const cases: { name: string; field: string; deployment: KubeObject; before?: KubeObject[] }[] = [
        {
          name: 'twin',
          field: 'spec.targetRef',
          deployment: aDeployment('worse', 'twin'),
          before: [aCanary('worse', 'older', {}, { targetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'twin' } })],
        },
        { name: 'unlabelled', field: 'spec.selector.matchLabels', deployment: relabelled('unlabelled', 'component', 'x') },
        { name: 'long', field: 'spec.selector.matchLabels.app', deployment: relabelled('long', 'app', 'a'.repeat(60)) },
        {
          name: 'taken',
          field: 'Service taken-canary',
          deployment: aDeployment('worse', 'taken'),
          before: [aService('worse', 'taken-canary')],
        },
        {
          name: 'occupied',
          field: 'Deployment occupied-primary',
          deployment: aDeployment('worse', 'occupied'),
          before: [aDeployment('worse', 'occupied-primary')],
        },
      ];
      const unsaid: string[] = [];
      for (const { name, field, deployment, before = [] } of cases) {
        await cluster.create(deployment);
        for (const object of before) await cluster.create(object);
        if (before.some(({ kind }) => kind === 'Canary')) await reportsOf().until('worse', 'older', 'a phase', ({ phase }) => phase !== '');
        const said = await silence(aCanary('worse', name), field);
        if (said !== undefined) unsaid.push(`${name}: ${said}`);
      }
      expect(unsaid).toEqual([]);
      for (const { name } of cases.slice(1)) {
        const target = await cluster.get({ apiVersion: 'apps/v1', kind: 'Deployment', name, namespace: 'worse' });
        expect(raw(target)?.spec.replicas, name).toBe(1);
      }
    });

    it('a Canary that is corrected goes on, and its refusal is gone', async () => {
      const { cluster } = environmentOf();
      await makeNamespace(cluster, 'mended');
      await cluster.create(aDeployment('mended', 'web'));
      await cluster.create(aCanary('mended', 'web', { stepWeight: 0 }));
      await reportsOf().until('mended', 'web', 'the refusal', ({ conditions }) => conditions.some(({ type }) => type === 'Accepted'));
      await cluster.patch(
        { apiVersion: 'flagger.app/v1beta1', kind: 'Canary', name: 'web', namespace: 'mended' },
        { spec: { analysis: { stepWeight: 50 } } },
      );
      const report = await reportsOf().until('mended', 'web', 'a start', ({ phase }) => phase === 'Initialized');
      expect(report.conditions.map(({ type }) => type)).toEqual(['Promoted']);
    });
  });
}

/** A Deployment that finds its pods by another label. */
function relabelled(name: string, key: string, value: string): KubeObject {
  const deployment = aDeployment('worse', name);
  raw(deployment).spec.selector.matchLabels = { [key]: value };
  raw(deployment).spec.template.metadata.labels = { [key]: value };
  return deployment;
}
