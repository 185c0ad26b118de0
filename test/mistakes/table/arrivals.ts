import type { KubeObject } from '../../../src/api/kube-object.ts';
import { raw } from '../../fakes/raw.ts';
import { applyCrdFiles, ROUTING_CRDS } from '../../scenarios/environment.ts';
import { APP, analysisOf, containerOf, manifestsOf } from '../manifests.ts';
import type { Mistake } from '../mistake.ts';
import { canaryRef, deploymentRef, newVersionOnly, setOfCanary, setOfDeployment } from './corrections.ts';

/** Mistakes of the first day: the Canary never gets as far as a release. */
export const arrivalMistakes: readonly Mistake[] = [
  {
    id: 'target-misspelt',
    what: 'targetRef names a Deployment that does not exist',
    names: /Deployment \S*\bwbe\b[^\n]{0,160}not (found|exist)|spec\.targetRef/i,
    code: /TargetNotFound/,
    validates: 'live',
    isEndless: true,
    arrives(manifests) {
      raw(manifests.canary).spec.targetRef.name = 'wbe';
    },
    remedies: [{ says: /spec\.targetRef/, do: (fixture, namespace) => setOfCanary(fixture, namespace, 'spec.targetRef.name', APP) }],
  },
  {
    id: 'wrong-namespace',
    what: 'the Deployment was applied to another namespace than the Canary',
    names:
      /Deployment \S*NAMESPACE\/web\b[^\n]{0,160}(not (found|exist)|TargetNotFound)|Deployment \S*web\b[^\n]{0,160}not (found|exist)[^\n]{0,160}NAMESPACE|namespace NAMESPACE has no such Deployment/i,
    code: /TargetNotFound/,
    validates: 'live',
    isEndless: true,
    arrives(manifests) {
      manifests.deployment.metadata.namespace = 'default';
    },
    remedies: [
      {
        says: /create (Deployment web|it)|spec\.targetRef/,
        do: ({ environment }, namespace) => environment.cluster.create(manifestsOf(namespace, '').deployment),
      },
    ],
  },
  {
    id: 'unselected',
    what: 'the selector of the Deployment has none of the labels by which the primary is selected',
    names: /(label|selector)[^\n]{0,160}(component|app\.kubernetes\.io\/name)|component[^\n]{0,160}label/i,
    code: /TargetUnusable/,
    validates: 'files',
    isEndless: true,
    arrives({ deployment }) {
      raw(deployment).spec.selector.matchLabels = { component: APP };
      raw(deployment).spec.template.metadata.labels = { component: APP };
    },
    remedies: [
      {
        says: /Deployment|label|selector/,
        async do({ environment }, namespace) {
          // Its selector cannot be edited.
          await environment.cluster.delete(deploymentRef(namespace));
          await environment.cluster.create(manifestsOf(namespace, '').deployment);
        },
      },
    ],
  },
  {
    id: 'wrong-name',
    what: 'service.targetPort names a port that the container does not have',
    names: /(targetPort|port)[^\n]{0,160}\bweb-port\b|\bweb-port\b[^\n]{0,160}port/i,
    code: /TargetUnusable|TargetUnreachable|InvalidSpec/,
    validates: 'files',
    isEndless: true,
    arrives(manifests) {
      raw(manifests.canary).spec.service.targetPort = 'web-port';
    },
    remedies: [
      { says: /targetPort/, do: (fixture, namespace) => setOfCanary(fixture, namespace, 'spec.service.targetPort', 'http') },
      {
        says: /Deployment web/,
        do: (fixture, namespace) => setOfDeployment(fixture, namespace, `spec.template.spec.containers[${APP}].ports[0].name`, 'web-port'),
      },
    ],
  },
  {
    id: 'two-canaries',
    what: 'a second Canary for the same Deployment',
    names:
      /(Canary|canary) (\S+\/)?web\b[^\n]{0,160}(has|releases|owns|same target|already)|already[^\n]{0,160}Canary (\S+\/)?web\b|older Canary/i,
    code: /TargetTaken/,
    validates: 'files',
    canary: 'web-copy',
    isEndless: true,
    // Later, so that the first one is older.
    pushes(manifests) {
      const copy = structuredClone(raw(manifests.canary));
      copy.metadata.name = 'web-copy';
      manifests.more.push(copy);
    },
    remedies: [
      {
        says: /remove Canary|remove this Canary/,
        do: ({ environment }, namespace) => environment.cluster.delete(canaryRef(namespace, 'web-copy')),
      },
    ],
  },
  {
    id: 'range-reversed',
    what: 'thresholdRange has its ends exchanged',
    names: /thresholdRange/,
    code: /InvalidSpec/,
    validates: 'files',
    isEndless: true,
    arrives(manifests) {
      analysisOf(manifests).metrics[0].thresholdRange = { min: 100, max: 99 };
    },
    remedies: [
      {
        says: /thresholdRange/,
        do: (fixture, namespace) =>
          setOfCanary(fixture, namespace, 'spec.analysis.metrics[request-success-rate].thresholdRange', { min: 99 }),
      },
    ],
  },
  {
    id: 'provider-missing',
    what: 'the CustomResourceDefinitions of the provider are not installed',
    names:
      /(TrafficSplit|split\.smi-spec\.io)[^\n]{0,160}(CustomResourceDefinition|CRD|not (found|installed|served|known))|CustomResourceDefinition[^\n]{0,160}(TrafficSplit|split\.smi-spec\.io)/i,
    code: /KindNotFound/,
    isEndless: true,
    validates: 'live',
    arrives(manifests) {
      raw(manifests.canary).spec.provider = 'smi:v1alpha4';
    },
    remedies: [
      {
        says: /CustomResourceDefinition/,
        do: ({ environment }) => applyCrdFiles(environment.cluster, [`${ROUTING_CRDS}/smi.yaml`]),
      },
    ],
  },
  {
    id: 'template-missing',
    hasGoodVersion: true,
    what: 'templateRef names a MetricTemplate that does not exist',
    names: /MetricTemplate (\S+\/)?error-rate[^\n]{0,160}not found|error-rate[^\n]{0,160}MetricTemplate[^\n]{0,160}not found/i,
    code: /TemplateNotFound/,
    validates: 'live',
    pushes: (manifests) => {
      containerOf(manifests).image = 'ghcr.io/example/web:2.0.0';
    },
    arrives(manifests) {
      analysisOf(manifests).metrics = [{ name: 'errors', interval: '6s', templateRef: { name: 'error-rate' }, thresholdRange: { max: 1 } }];
    },
    remedies: [
      {
        says: /create MetricTemplate|MetricTemplate|templateRef/,
        do: ({ environment, prometheusUrl }, namespace) =>
          environment.cluster.create({
            apiVersion: 'flagger.app/v1beta1',
            kind: 'MetricTemplate',
            metadata: { name: 'error-rate', namespace },
            spec: { provider: { type: 'prometheus', address: prometheusUrl }, query: 'vector(0)' },
          } as KubeObject),
      },
      newVersionOnly,
    ],
  },
];
