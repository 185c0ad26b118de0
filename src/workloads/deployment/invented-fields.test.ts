import { expect, it } from 'vitest';
import { raw } from '../../../test/fakes/raw.ts';
import type { Canary } from '../../api/canary.ts';
import type { KubeObject } from '../../api/kube-object.ts';
import { deployment } from './deployment.ts';

it('unknown future fields decide the revision, and are promoted unmodified', () => {
  const invented = { invented: { deep: [{ er: 1 }, null, 'two'] } };
  const target: KubeObject = {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'podinfo', namespace: 'lab' },
    spec: {
      ...invented,
      selector: { matchLabels: { app: 'podinfo' } },
      template: {
        ...invented,
        metadata: { ...invented, labels: { app: 'podinfo' } },
        spec: { ...invented, containers: [{ ...invented, name: 'web', image: 'podinfo:2', ports: [{ ...invented, containerPort: 1 }] }] },
      },
    },
  };
  const canary = {
    metadata: { name: 'podinfo', namespace: 'lab' },
    spec: { targetRef: { name: 'podinfo' }, service: { port: 80 } },
  } as unknown as Canary;
  const options = {
    selector: { key: 'app', target: 'podinfo', primary: 'podinfo-primary' },
    includeLabelPrefix: [],
    selectorLabels: ['app'],
    revision: deployment.revision(target),
    replicas: 1,
  };
  const spec = deployment.primaryTemplate(canary, target, options);
  expect(spec).toMatchObject({ ...invented, template: { ...invented, metadata: invented, spec: raw(target).spec.template.spec } });
  const primary = deployment.renderPrimary(canary, target, options);
  expect(raw(primary).spec.template.spec).toEqual(raw(target).spec.template.spec);
  const other = structuredClone(target);
  raw(other).spec.template.spec.containers[0].ports[0].invented.deep[0].er = 2;
  expect(deployment.revision(other)).not.toBe(deployment.revision(target));
});
