import * as z from 'zod';
import { groupOf, type KubeObject } from '../api/kube-object.ts';
import { selectingKind } from './selecting-kinds.ts';

const Labels = z.record(z.string(), z.string()).nullish();
const Selector = z
  .looseObject({
    matchLabels: Labels,
    matchExpressions: z.array(z.looseObject({ key: z.string(), operator: z.string(), values: z.array(z.string()).nullish() })).nullish(),
  })
  .nullish();
const Template = z.looseObject({
  metadata: z.looseObject({ labels: Labels, annotations: Labels }).nullish(),
  spec: z.looseObject({ containers: z.array(z.looseObject({})).nullish(), initContainers: z.array(z.looseObject({})).nullish() }).nullish(),
});
const Ref = z.looseObject({ kind: z.string().nullish(), name: z.string().nullish() });
const Peers = z.array(z.looseObject({ podSelector: Selector, namespaceSelector: Selector })).nullish();
const Rules = z.array(z.looseObject({ from: Peers, to: Peers, ports: z.array(z.unknown()).nullish() })).nullish();

const metadata = z.looseObject({
  name: z.string(),
  namespace: z.string().nullish(),
  labels: Labels,
  annotations: Labels,
  ownerReferences: z.array(z.looseObject({ kind: z.string(), name: z.string() })).nullish(),
});
const withSpec = (fields: z.ZodRawShape) =>
  z.looseObject({ apiVersion: z.string(), kind: z.string(), metadata, spec: z.looseObject(fields) });

const Objects = z.array(z.looseObject({})).nullish();
const Texts = z.array(z.string()).nullish();
const listOf = (fields: z.ZodRawShape) => z.array(z.looseObject(fields)).nullish();
const Matches = listOf({ path: z.looseObject({}).nullish(), headers: Objects, queryParams: Objects });
const GatewayRoute = withSpec({
  hostnames: Texts,
  parentRefs: Objects,
  rules: listOf({ matches: Matches, filters: Objects, backendRefs: listOf({ filters: Objects }) }),
});
const MeshRules = listOf({
  match: listOf({ headers: z.looseObject({}).nullish() }),
  route: listOf({ destination: z.looseObject({}).nullish() }),
});

const Backend = z.looseObject({ service: z.looseObject({ name: z.string().nullish() }).nullish() }).nullish();
const Workload = withSpec({ selector: Selector, template: Template });
const shapes: Readonly<Record<string, z.ZodType>> = {
  '/Namespace': z.looseObject({ apiVersion: z.string(), kind: z.string(), metadata }),
  '/Service': withSpec({ selector: Labels, ports: z.array(z.looseObject({ port: z.number() })).nullish() }),
  'apps/Deployment': Workload,
  'apps/StatefulSet': Workload,
  'apps/DaemonSet': Workload,
  'batch/Job': withSpec({ template: Template }),
  'batch/CronJob': withSpec({ jobTemplate: z.looseObject({ spec: z.looseObject({ template: Template }) }) }),
  'autoscaling/HorizontalPodAutoscaler': withSpec({ scaleTargetRef: Ref }),
  'autoscaling.k8s.io/VerticalPodAutoscaler': withSpec({ targetRef: Ref }),
  'gateway.networking.k8s.io/HTTPRoute': GatewayRoute,
  'gateway.networking.k8s.io/GRPCRoute': GatewayRoute,
  'networking.istio.io/VirtualService': withSpec({ hosts: Texts, gateways: Texts, http: MeshRules, tcp: MeshRules, tls: MeshRules }),
  'projectcontour.io/HTTPProxy': withSpec({
    includes: Objects,
    routes: listOf({ conditions: Objects, services: Objects }),
    tcpproxy: z.looseObject({ services: Objects }).nullish(),
  }),
  'networking.k8s.io/Ingress': withSpec({
    defaultBackend: Backend,
    rules: z
      .array(z.looseObject({ http: z.looseObject({ paths: z.array(z.looseObject({ backend: Backend })).nullish() }).nullish() }))
      .nullish(),
  }),
  'networking.k8s.io/NetworkPolicy': withSpec({ podSelector: Selector, ingress: Rules, egress: Rules }),
};
const Named = withSpec({ targetRef: Ref.nullish(), targetRefs: z.array(Ref).nullish() });
const InNamespaces = z.looseObject({ any: z.boolean().nullish(), matchNames: z.array(z.string()).nullish() }).nullish();
const Selecting = withSpec({ namespaceSelector: InNamespaces });

/**
 * An object has the shape that its kind requires, in the fields that an arrival reads. The API server refuses any other shape; files and kinds of other owners
 * can contain anything.
 */
export function isReadable(object: KubeObject): boolean {
  const shape = shapes[`${groupOf(String(object.apiVersion))}/${object.kind}`];
  if (shape) return shape.safeParse(object).success;
  const kind = selectingKind(object);
  if (kind === undefined) return Named.safeParse(object).success;
  if (!Selecting.safeParse(object).success) return false;
  const [, field = '', labels] = kind.field.split('.');
  const value = (object.spec as Record<string, unknown>)[field];
  return labels === undefined
    ? Selector.safeParse(value).success
    : z
        .looseObject({ [labels]: Labels })
        .nullish()
        .safeParse(value).success;
}
