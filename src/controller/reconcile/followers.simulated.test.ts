import { expect, it, vi } from 'vitest';
import { initialize } from '../../../test/fakes/model/initialize.ts';
import { APP, aModelCanary, canaryRef, type ModelLab, NAMESPACE } from '../../../test/fakes/model/lab.ts';
import { labWithApp } from '../../../test/fakes/model/life.ts';
import { eventsOf } from '../../../test/fakes/model/uninstalling.ts';
import { raw } from '../../../test/fakes/raw.ts';
import type { KubeObject, Labels } from '../../api/kube-object.ts';

// A bound against a life that never ends; minutes of virtual time take a second.
vi.setConfig({ testTimeout: 60_000 });

const plan = { stepWeight: 25, maxWeight: 50 };
const PRIMARY = { app: `${APP}-primary` };
const service = (name: string, selector: Labels): KubeObject => ({
  ...{ apiVersion: 'v1', kind: 'Service', metadata: { name, namespace: NAMESPACE } },
  spec: { selector, ports: [{ port: 81, targetPort: 'http' }] },
});
const refTo = (name: string) => ({ apiVersion: 'v1', kind: 'Service', name, namespace: NAMESPACE });
const selectorOf = (lab: ModelLab, name: string): Labels | undefined => raw(lab.server.find(refTo(name)))?.spec?.selector;

async function arrived(canary: object, ...objects: KubeObject[]): Promise<ModelLab> {
  const lab = await labWithApp();
  for (const one of objects) lab.server.create(one);
  await initialize(lab, aModelCanary(plan, canary));
  return lab;
}

it('I17: another Service of the target follows the apex to the primary, and is restored when the Canary is deleted', async () => {
  const lab = await arrived({}, service('admin', { app: APP }), service('blog', { app: 'blog' }));
  expect([selectorOf(lab, 'admin'), selectorOf(lab, 'blog')]).toEqual([PRIMARY, { app: 'blog' }]);
  expect(eventsOf(lab, 'ServiceFollows')).toEqual([expect.stringContaining('Service admin leads to the pods of podinfo')]);
  lab.server.delete(canaryRef);
  expect(await lab.passUntil(() => selectorOf(lab, 'admin')?.app === APP, 300_000)).toBe(true);
  await lab.pass(60_000);
  expect([raw(lab.server.find(refTo('admin')))?.metadata.annotations, selectorOf(lab, APP), lab.lost]).toEqual([{}, { app: APP }, []]);
});

it('I17: a later follower follows at once, and a follower that a tool puts back is corrected, by the brake', async () => {
  const lab = await arrived({});
  lab.server.create(service('late', { app: APP }));
  expect(await lab.passUntil(() => selectorOf(lab, 'late')?.app === PRIMARY.app, 30_000)).toBe(true);
  lab.server.patch(refTo('late'), { spec: { selector: { app: APP } } });
  expect(await lab.passUntil(() => selectorOf(lab, 'late')?.app === PRIMARY.app, 30_000)).toBe(true);
  expect(eventsOf(lab, 'ServiceFollows')).toHaveLength(1);
});

it('I2, I17: a Service by a label of both sides follows, so that the canary has no users of its own', async () => {
  const lab = await labWithApp();
  lab.server.patch(
    { apiVersion: 'apps/v1', kind: 'Deployment', name: APP, namespace: NAMESPACE },
    { spec: { template: { metadata: { labels: { tier: 'web' } } } } },
  );
  lab.server.create(service('web', { tier: 'web' }));
  await initialize(lab, aModelCanary(plan));
  expect(selectorOf(lab, 'web')).toEqual({ tier: 'web', ...PRIMARY });
  lab.server.delete(canaryRef);
  expect(await lab.passUntil(() => selectorOf(lab, 'web')?.app === undefined, 300_000)).toBe(true);
  expect(selectorOf(lab, 'web')).toEqual({ tier: 'web' });
});

it('I17: a Service that another workload shares does not follow, also when it is made later', async () => {
  const blog: KubeObject = {
    ...{ apiVersion: 'apps/v1', kind: 'StatefulSet', metadata: { name: 'blog', namespace: NAMESPACE } },
    spec: {
      serviceName: 'blog',
      selector: { matchLabels: { app: APP, of: 'blog' } },
      template: { metadata: { labels: { app: APP, of: 'blog' } }, spec: { containers: [{ name: 'blog', image: 'blog' }] } },
    },
  };
  const lab = await arrived({});
  lab.server.create(blog);
  lab.server.create(service('both', { app: APP }));
  await lab.pass(60_000);
  expect([selectorOf(lab, 'both'), lab.lost]).toEqual([{ app: APP }, []]);
});

it('I17: followers none leaves a later Service unmodified', async () => {
  const lab = await arrived({ service: { port: 80, targetPort: 'http', followers: 'none' } });
  lab.server.create(service('late', { app: APP }));
  await lab.pass(60_000);
  expect(selectorOf(lab, 'late')).toEqual({ app: APP });
});
