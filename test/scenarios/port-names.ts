import { expect, it } from 'vitest';
import type { KubeObject } from '../../src/api/kube-object.ts';
import type { KubeCluster } from '../../src/kube/kube-cluster.ts';

const LONG = 'a-name-of-16-char';

const serviceWith = (name: string, ...ports: object[]): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name, namespace: 'default' },
  spec: { selector: { app: 'x' }, ports },
});
const deploymentWith = (name: string, ...ports: object[]): KubeObject => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name, namespace: 'default' },
  spec: {
    replicas: 0,
    selector: { matchLabels: { app: name } },
    template: { metadata: { labels: { app: name } }, spec: { containers: [{ name: 'app', image: 'app:1', ports }] } },
  },
});

const SERVICE = 'spec.ports';
const CONTAINER = 'spec.template.spec.containers[0].ports';

const refused: [what: string, object: KubeObject, field: string, why: string][] = [
  ['two-ports', serviceWith('two-ports', { name: 'http', port: 80 }, { name: 'http', port: 81 }), `${SERVICE}[1].name`, 'Duplicate value'],
  ['upper', serviceWith('upper', { name: 'HTTP', port: 80 }), `${SERVICE}[0].name`, 'lowercase RFC 1123 label'],
  ['long-target', serviceWith('long-target', { port: 80, targetPort: LONG }), `${SERVICE}[0].targetPort`, 'no more than 15'],
  [
    'two-container-ports',
    deploymentWith('two-container-ports', { name: 'http', containerPort: 80 }, { name: 'http', containerPort: 81 }),
    `${CONTAINER}[1].name`,
    'Duplicate value',
  ],
  ['long-name', deploymentWith('long-name', { name: LONG, containerPort: 80 }), `${CONTAINER}[0].name`, 'no more than 15'],
  ['upper-name', deploymentWith('upper-name', { name: 'HTTP', containerPort: 80 }), `${CONTAINER}[0].name`, 'alpha-numeric'],
  ['digits', deploymentWith('digits', { name: '8080', containerPort: 80 }), `${CONTAINER}[0].name`, 'at least one letter'],
  ['two-hyphens', deploymentWith('two-hyphens', { name: 'a--b', containerPort: 80 }), `${CONTAINER}[0].name`, 'consecutive hyphens'],
  ['high', deploymentWith('high', { containerPort: 65_536 }), `${CONTAINER}[0].containerPort`, 'between 1 and 65535'],
  ['none', deploymentWith('none', { name: 'http' }), `${CONTAINER}[0].containerPort`, 'Required value'],
  ['protocol', deploymentWith('protocol', { containerPort: 80, protocol: 'HTTP' }), `${CONTAINER}[0].protocol`, 'Unsupported value'],
];

/** Ports that an API server does not store. */
export function describePortNames(cluster: () => KubeCluster): void {
  it.each(refused)('ports of %s are refused at their field', async (_, object, field, why) => {
    const refusal = cluster().create(object);
    await expect(refusal).rejects.toThrow(field);
    await expect(refusal).rejects.toThrow(why);
  });
}
