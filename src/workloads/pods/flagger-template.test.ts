import { expect, it } from 'vitest';
import { raw } from '../../../test/fakes/raw.ts';
import type { KubeObject } from '../../api/kube-object.ts';
import { adoptsPods } from './adopts.ts';
import { flaggerSpec } from './flagger-template.ts';
import { primarySpec } from './render-primary.ts';

const options = {
  selector: { key: 'app', target: 'checkout', primary: 'checkout-primary' },
  selectorLabels: ['app', 'name', 'app.kubernetes.io/name'],
  includeLabelPrefix: [],
  revision: 's1:a',
  replicas: 1,
  configs: new Map([['configmap/settings', 'settings-primary']]),
};
const zone = 'topology.kubernetes.io/zone';
/** The target of a worked example of Flagger's template. */
const target: KubeObject = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'checkout', namespace: 'shop' },
  spec: {
    selector: { matchLabels: { app: 'checkout' } },
    template: {
      metadata: {
        creationTimestamp: null,
        labels: { app: 'checkout', track: 'live', 'app.kubernetes.io/name': 'checkout', 'kustomize.toolkit.fluxcd.io/name': 'apps' },
        annotations: { 'argocd.argoproj.io/tracking-id': 'shop:x', 'flagger-id': 'old' },
      },
      spec: {
        containers: [{ name: 'web', image: 'checkout:7', envFrom: [{ configMapRef: { name: 'settings' } }] }],
        affinity: {
          podAntiAffinity: {
            preferredDuringSchedulingIgnoredDuringExecution: [
              { weight: 50, podAffinityTerm: { topologyKey: zone, labelSelector: { matchLabels: { app: 'checkout', track: 'live' } } } },
            ],
            requiredDuringSchedulingIgnoredDuringExecution: [
              {
                topologyKey: zone,
                labelSelector: { matchExpressions: [{ key: 'app', operator: 'NotIn', values: ['cart', 'checkout', 'checkout'] }] },
              },
            ],
          },
          podAffinity: {
            requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey: zone, labelSelector: { matchLabels: { app: 'checkout' } } }],
          },
        },
        topologySpreadConstraints: [
          { maxSkew: 1, topologyKey: zone, labelSelector: { matchLabels: { 'app.kubernetes.io/name': 'checkout' } } },
          { maxSkew: 1, topologyKey: zone, labelSelector: { matchLabels: { app: 'cart' } } },
        ],
      },
    },
  },
};

it('E3: labels are kept as in Flagger, except those of Flux and the label that gets a suffix; the id of the promotion is left out', () => {
  expect(flaggerSpec(target, options, { spreads: true }).template?.metadata).toEqual({
    labels: { app: 'checkout-primary', track: 'live', 'app.kubernetes.io/name': 'checkout' },
    annotations: { 'argocd.argoproj.io/tracking-id': 'shop:x' },
  });
});

it('E3: as it has them, spread terms are rewritten by name, anti-affinity only, the first equal value of an expression', () => {
  const { affinity, topologySpreadConstraints, containers } = raw(flaggerSpec(target, options, { spreads: true }).template?.spec);
  const { podAntiAffinity, podAffinity } = affinity;
  const [preferred] = podAntiAffinity.preferredDuringSchedulingIgnoredDuringExecution;
  expect(preferred.podAffinityTerm.labelSelector.matchLabels).toEqual({ app: 'checkout-primary', track: 'live' });
  const [required] = podAntiAffinity.requiredDuringSchedulingIgnoredDuringExecution;
  expect(required.labelSelector.matchExpressions[0].values).toEqual(['cart', 'checkout-primary', 'checkout']);
  expect(podAffinity).toEqual(raw(target).spec.template.spec.affinity.podAffinity);
  expect(topologySpreadConstraints.map((one: { labelSelector: object }) => one.labelSelector)).toEqual([
    { matchLabels: { 'app.kubernetes.io/name': 'checkout-primary' } },
    { matchLabels: { app: 'cart' } },
  ]);
  expect(containers[0].envFrom).toEqual([{ configMapRef: { name: 'settings-primary' } }]);
});

it('E3: as it has them, terms of DaemonSets are not rewritten', () => {
  const { affinity } = raw(flaggerSpec(target, options, { spreads: false }).template?.spec);
  expect(affinity).toEqual(raw(target).spec.template.spec.affinity);
});

it("Flagger's primary is recognized if we would render another one", () => {
  const theirs = flaggerSpec(target, options, { spreads: true });
  const metadata = { ...theirs.template?.metadata, annotations: { ...theirs.template?.metadata?.annotations, 'flagger-id': '6d0c9a0e' } };
  const primary: KubeObject = { ...target, spec: { ...raw(target).spec, template: { ...theirs.template, metadata } } };
  const ours = primarySpec({ metadata: { namespace: 'shop' } } as never, target, options);
  expect([adoptsPods(primary, ours), adoptsPods(primary, theirs)]).toEqual([false, true]);
});
