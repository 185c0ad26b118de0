import { expect, it } from 'vitest';
import { slimPodWorkload } from './slim.ts';

const slim = (podSpec: object | undefined) =>
  slimPodWorkload({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'shop' },
    spec: { replicas: 2, ...(podSpec && { template: { metadata: { labels: { app: 'shop' } }, spec: podSpec } }) },
  }).spec;

it('of a pod template only names and ports of its containers are kept, and its labels', () => {
  const [web, job] = [
    { name: 'web', image: '1', ports: [{ containerPort: 80 }] },
    { name: 'job', image: '1' },
  ];
  expect(slim({ containers: [web, job], nodeName: 'n' })).toEqual({
    replicas: 2,
    template: {
      metadata: { labels: { app: 'shop' } },
      spec: { containers: [{ name: 'web', ports: [{ containerPort: 80 }] }, { name: 'job' }] },
    },
  });
});

it('of init containers only sidecars with ports are kept, and a template without any has none', () => {
  const sidecar = { name: 'proxy', restartPolicy: 'Always', ports: [{ containerPort: 15_001 }] };
  const initContainers = [
    { ...sidecar, image: 'p' },
    { name: 'setup', ports: [] },
    { name: 'log', restartPolicy: 'Always' },
  ];
  expect(slim({ containers: [], initContainers })?.template?.spec).toEqual({ containers: [], initContainers: [sidecar] });
  expect(slim({ containers: [], initContainers: initContainers.slice(1) })?.template?.spec).toEqual({ containers: [] });
  expect(slim(undefined)?.template).toEqual({ metadata: {}, spec: { containers: [] } });
});
