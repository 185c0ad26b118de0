import { groupOf, type KubeObject } from './kube-object.ts';
import { lastApplied } from './tracking-metadata.ts';

/** A tool that applies objects from Git, a chart or a plan. */
export interface Applier {
  name: 'Argo CD' | 'Flux' | 'Helm' | 'Terraform' | 'kubectl apply';
  /** Labels or annotations on its objects. */
  marks: readonly string[];
  /** Its field managers. */
  managers: readonly string[];
  /** One clause: the change by its user with which a field of an object keeps Serin's value. */
  remedy(of: { kind: string; name: string; group: string }, path: string): string;
}

type Written = Pick<KubeObject, 'apiVersion' | 'kind'> & { name: string };

/** The most specific first: Argo CD and Flux also leave the marks of the manifests that they apply. */
export const appliers: readonly Applier[] = [
  {
    name: 'Argo CD',
    marks: ['argocd.argoproj.io/tracking-id', 'argocd.argoproj.io/instance'],
    managers: ['argocd-controller', 'argocd-application-controller'],
    remedy: ({ kind, name, group }, path) =>
      `in the Application, spec.ignoreDifferences: [{${group && `group: ${group}, `}kind: ${kind}, name: ${name}, jsonPointers: [${path}]}] with spec.syncPolicy.syncOptions: [RespectIgnoreDifferences=true]`,
  },
  {
    name: 'Flux',
    marks: ['kustomize.toolkit.fluxcd.io/name', 'helm.toolkit.fluxcd.io/name'],
    managers: ['kustomize-controller', 'helm-controller'],
    remedy: ({ kind, name }, path) => `in the Kustomization, spec.ignore: [{paths: [${path}], target: {kind: ${kind}, name: ${name}}}]`,
  },
  {
    name: 'Helm',
    marks: ['meta.helm.sh/release-name'],
    managers: ['helm'],
    remedy: ({ kind, name }, path) =>
      kind === 'Service'
        ? `leave Service ${name} out of the chart (Serin makes one where none exists)`
        : `leave ${path} of ${kind} ${name} out of the chart`,
  },
  {
    name: 'Terraform',
    marks: [],
    managers: ['HashiCorp', 'Terraform', 'terraform'],
    remedy: ({ kind, name }, path) =>
      `in the resource of ${kind} ${name}, lifecycle { ignore_changes = [${path.slice(1).replace('/', '[0].')}, metadata[0].annotations] }`,
  },
  {
    name: 'kubectl apply',
    marks: [lastApplied],
    managers: ['kubectl', 'kubectl-client-side-apply'],
    remedy: ({ kind, name }, path) => `leave ${path} of ${kind} ${name} out of the manifest`,
  },
];

/** The field that Serin writes in an object of the user's, as a JSON pointer. */
const FIELDS: Readonly<Record<string, string>> = {
  Service: '/spec/selector',
  Deployment: '/spec/replicas',
  HTTPRoute: '/spec/rules',
  GRPCRoute: '/spec/rules',
  VirtualService: '/spec/http',
  HTTPProxy: '/spec/routes',
};

/** The tool that applies this object, by its marks, else by its field managers; undefined if no known tool does. */
export function applierOf({ metadata: { labels, annotations, managedFields } }: KubeObject): Applier | undefined {
  const managers = Array.isArray(managedFields) ? managedFields.map((entry: { manager?: unknown }) => entry?.manager) : [];
  const hasMark = (mark: string): boolean => labels?.[mark] !== undefined || annotations?.[mark] !== undefined;
  return (
    appliers.find(({ marks }) => marks.some(hasMark)) ?? appliers.find((one) => one.managers.some((manager) => managers.includes(manager)))
  );
}

export const applierByManager = (manager: string | undefined): Applier | undefined =>
  appliers.find(({ managers }) => manager !== undefined && managers.includes(manager));

/** Field that Serin writes, and the remedy for the user of the tool; undefined if Serin writes no field of such an object. */
export function applierRemedy(applier: Applier, { apiVersion, kind, name }: Written): { field: string; remedy: string } | undefined {
  const field = FIELDS[kind];
  const group = groupOf(apiVersion);
  return field === undefined ? undefined : { field, remedy: applier.remedy({ kind, name, group }, field) };
}
