import { asKnativeRevision } from '../../api/kinds/knative-revision.ts';
import type { KnativeService } from '../../api/kinds/knative-service.ts';
import type { KubeObject } from '../../api/kube-object.ts';
import { controllerReference } from '../controllers/selectors.ts';

const PODS = 2;
const DEFAULT_PORT = 8080;

/** Annotation of a Revision: hash of the template that it was made from. */
export const TEMPLATE_HASH = 'embedded.serin.dev/template-hash';

const labelsOf = (service: string, revision: string) => ({
  'serving.knative.dev/service': service,
  'serving.knative.dev/configuration': service,
  'serving.knative.dev/revision': revision,
});

/** The Revision that a template of a Knative Service makes; its spec never changes afterwards. */
export function revisionFor(service: KnativeService, number: number, templateHash: string): KubeObject {
  const { name, namespace = '' } = service.metadata;
  const { template = {} } = service.spec ?? {};
  const own = template.metadata?.name ?? `${name}-${String(number).padStart(5, '0')}`;
  return {
    apiVersion: service.apiVersion,
    kind: 'Revision',
    metadata: {
      name: own,
      namespace,
      labels: { ...template.metadata?.labels, ...labelsOf(name, own), 'serving.knative.dev/configurationGeneration': String(number) },
      annotations: { ...template.metadata?.annotations, [TEMPLATE_HASH]: templateHash },
      ownerReferences: [controllerReference(service)],
    },
    spec: template.spec ?? {},
  };
}

/** Objects that run a Revision: pods, and a Service that gets its part of the traffic from the gateway. */
export function objectsOf(revision: KubeObject): KubeObject[] {
  const { name, namespace = '', labels = {} } = revision.metadata;
  const own = labelsOf(labels['serving.knative.dev/service'] ?? '', name);
  const { [TEMPLATE_HASH]: _, ...annotations } = revision.metadata.annotations ?? {};
  const selector = { 'serving.knative.dev/revision': name };
  const { spec = {} } = asKnativeRevision(revision);
  const [container, ...others] = spec.containers ?? [];
  const containerPort = container?.ports?.[0]?.containerPort ?? DEFAULT_PORT;
  const serving = { name: 'user-container', ...container, ports: [{ name: 'http', containerPort }] };
  const ownerReferences = [controllerReference(revision)];
  return [
    {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: `${name}-deployment`, namespace, labels: own, ownerReferences },
      spec: {
        replicas: PODS,
        selector: { matchLabels: selector },
        progressDeadlineSeconds: spec.timeoutSeconds ?? 600,
        template: { metadata: { labels: { ...own, app: name }, annotations }, spec: { containers: [serving, ...others] } },
      },
    },
    {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name, namespace, labels: own, ownerReferences },
      spec: { selector, ports: [{ name: 'http', port: 80, targetPort: 'http' }] },
    },
  ];
}
