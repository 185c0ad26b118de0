import { expect, it } from 'vitest';
import { applierByManager, applierOf, applierRemedy, appliers } from './appliers.ts';
import type { KubeObject } from './kube-object.ts';

const service = (metadata: object): KubeObject =>
  ({ apiVersion: 'v1', kind: 'Service', metadata: { name: 'shop', ...metadata } }) as KubeObject;

it.each([
  { what: 'Argo CD by its annotation', metadata: { annotations: { 'argocd.argoproj.io/tracking-id': 'x' } }, name: 'Argo CD' },
  { what: 'Flux by its label', metadata: { labels: { 'kustomize.toolkit.fluxcd.io/name': 'x' } }, name: 'Flux' },
  { what: 'Helm by its annotation', metadata: { annotations: { 'meta.helm.sh/release-name': 'x' } }, name: 'Helm' },
  {
    what: 'Flux, which installs a chart',
    metadata: { labels: { 'helm.toolkit.fluxcd.io/name': 'x' }, annotations: { 'meta.helm.sh/release-name': 'x' } },
    name: 'Flux',
  },
  { what: 'Terraform by its manager', metadata: { managedFields: [{ manager: 'Terraform' }] }, name: 'Terraform' },
  // The API server reads it from the user agent of the provider: HashiCorp/1.0 Terraform/1.12.6.
  { what: 'Terraform by its user agent', metadata: { managedFields: [{ manager: 'HashiCorp' }] }, name: 'Terraform' },
  { what: 'kubectl by its manager', metadata: { managedFields: [{ manager: 'kubectl' }] }, name: 'kubectl apply' },
  { what: 'no tool', metadata: { managedFields: [{ manager: 'kube-controller-manager' }, {}] }, name: undefined },
])('the tool that applies an object is detected: $what', ({ metadata, name }) => {
  expect(applierOf(service(metadata))?.name).toBe(name);
});

it('each tool has a remedy with the object and the field, and an object without a field of Serin’s has none', () => {
  for (const applier of appliers) {
    const { field, remedy } = applierRemedy(applier, { apiVersion: 'apps/v1', kind: 'Deployment', name: 'shop' }) ?? {};
    expect(field).toBe('/spec/replicas');
    expect(remedy).toMatch(/shop.*replicas|replicas.*shop/);
    expect(applierRemedy(applier, { apiVersion: 'v1', kind: 'ConfigMap', name: 'shop' })).toBeUndefined();
  }
});

it('the remedies for Argo CD and Flux for the selector of a Service', () => {
  const of = { apiVersion: 'v1', kind: 'Service', name: 'shop' };
  const lines = (manager: string) => {
    const applier = applierByManager(manager);
    return applier && applierRemedy(applier, of)?.remedy;
  };
  expect(lines('argocd-controller')).toBe(
    'in the Application, spec.ignoreDifferences: [{kind: Service, name: shop, jsonPointers: [/spec/selector]}] with spec.syncPolicy.syncOptions: [RespectIgnoreDifferences=true]',
  );
  expect(lines('kustomize-controller')).toBe(
    'in the Kustomization, spec.ignore: [{paths: [/spec/selector], target: {kind: Service, name: shop}}]',
  );
  expect(lines('someone')).toBeUndefined();
});

it('the remedy for Terraform also keeps Serin’s annotations: its provider removes annotations that are not in the configuration', () => {
  const terraform = applierByManager('HashiCorp');
  expect(terraform && applierRemedy(terraform, { apiVersion: 'v1', kind: 'Service', name: 'shop' })?.remedy).toBe(
    'in the resource of Service shop, lifecycle { ignore_changes = [spec[0].selector, metadata[0].annotations] }',
  );
});
