import { expect, it } from 'vitest';
import { slimPodWorkload } from './slim.ts';

const slim = (podSpec: object | undefined) =>
  slimPodWorkload({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'shop' },
    spec: { replicas: 2, ...(podSpec && { template: { metadata: { labels: { app: 'shop' } }, spec: podSpec } }) },
  }).spec;

it('a slim pod template keeps only labels, and names and ports of its containers', () => {
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

it('a slim pod template keeps only sidecars with ports of its init containers, and none without such a sidecar', () => {
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
