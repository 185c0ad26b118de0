import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { dashboardOf, dashboards } from '../../scripts/dashboards/index.ts';
import { renderDashboard } from '../../scripts/dashboards/render.ts';
import { CHARTS, type Helm, startHelm } from './helm.ts';
import { type RealCluster, startRealCluster } from './real-cluster.ts';
import { isTakenAsItIs } from './strict-apply.ts';

describe('the chart of dashboards', () => {
  let real: RealCluster;
  let helm: Helm;
  beforeAll(async () => {
    real = await startRealCluster();
    helm = await startHelm(real.adminKubeconfigFile);
    for (const name of ['serin', 'monitoring']) await real.cluster.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
  });
  afterAll(async () => {
    helm?.stop();
    await real?.stop();
  });

  const flaggerValues = {
    ...{ url: 'http://prometheus:9090', replicaCount: 1, user: 'admin', password: 'x', token: 'x', image: { tag: '7.3.4' } },
    ...{ podAnnotations: { a: 'b' }, service: { type: 'ClusterIP', port: 80 }, resources: { limits: { cpu: '1' } } },
    ...{ nodeSelector: { a: 'b' }, tolerations: [{ key: 'a' }], affinity: { nodeAffinity: {} } },
  };

  it.each([
    { what: 'nothing set', values: {} },
    {
      what: 'another namespace and a folder',
      values: { namespace: 'monitoring', annotations: { grafana_folder: 'Releases' }, labels: { team: 'a' } },
    },
    { what: "values of Flagger's chart", values: flaggerValues },
  ])('$what: the linter finds nothing, and the API server takes every ConfigMap', async ({ values }) => {
    const linted = await helm.run('lint', '--strict', join(CHARTS, 'grafana'), '--values', helm.valuesFile(values));
    expect(linted, linted.said).toMatchObject({ code: 0 });
    const objects = await helm.render('grafana', values);
    expect(objects.map(({ kind }) => kind)).toEqual(dashboards.map(() => 'ConfigMap'));
    await isTakenAsItIs(real, objects);
  });

  it('each dashboard is found by the label of the sidecar, and is the JSON that was generated', async () => {
    const objects = await helm.render('grafana', { without: ['serin-nginx'] });
    for (const { metadata } of objects) expect(metadata.labels).toMatchObject({ grafana_dashboard: '1' });
    const uids = objects.flatMap(({ data }) => Object.values(data as Record<string, string>).map((text) => JSON.parse(text).uid));
    expect(uids.sort()).toEqual(
      dashboards
        .map(({ uid }) => uid)
        .filter((uid) => uid !== 'serin-nginx')
        .sort(),
    );
  });

  it('only the dashboards that are named are made, and they link to the address that is given, with nothing else changed', async () => {
    const dashboardUrl = 'https://serin.example.org/?a="b"';
    const objects = await helm.render('grafana', { only: ['serin', 'serin-istio', 'serin-nginx'], without: ['serin-nginx'], dashboardUrl });
    await isTakenAsItIs(real, objects);
    const made = objects.flatMap(({ data }) => Object.values(data as Record<string, string>).map((text) => JSON.parse(text)));
    const expected = ['serin', 'serin-istio'].map((uid) => {
      const generated = JSON.parse(renderDashboard(dashboardOf(uid)));
      const page = generated.templating.list.find(({ name }: { name: string }) => name === 'page');
      Object.assign(page, { query: dashboardUrl, current: { text: dashboardUrl, value: dashboardUrl } });
      return generated;
    });
    const byUid = (a: { uid: string }, b: { uid: string }) => a.uid.localeCompare(b.uid);
    expect(made.sort(byUid)).toEqual(expected.sort(byUid));
  });

  it.each([
    { values: { without: ['serin-ngnix'] }, says: /without/ },
    { values: { only: ['serin-envoy'] }, says: /only/ },
    { values: { lables: { team: 'a' } }, says: /lables/ },
  ])('$values is refused before anything is changed', async ({ values, says }) => {
    await expect(helm.render('grafana', values)).rejects.toThrow(says);
  });
});
