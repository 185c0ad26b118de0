import type { Canary, Provider } from '../../api/canary.ts';
import { findingsOnce } from '../../api/findings.ts';
import type { PodTemplate } from '../../api/kinds/pod-template.ts';
import type { ServiceSpec } from '../../api/kinds/service.ts';
import { specOf } from '../../api/kinds/spec-of.ts';
import { type KubeObject, refKey, refOf } from '../../api/kube-object.ts';
import { carriedAnnotation, names } from '../../api/names.ts';
import { primaryValue, type SelectorLabel } from '../../api/selector-label.ts';
import { isTracking } from '../../api/tracking-metadata.ts';
import type { ArrivalPlan } from '../../arrival/plan.ts';
import { isRecord, type JsonRecord } from '../../base/json.ts';
import { isFoundInPlace, termsFor } from '../../routers/service-terms.ts';
import { companionAnnotation } from '../../workloads/companions/index.ts';
import { isPeersMark } from '../../workloads/companions/names.ts';
import { configReferences } from '../../workloads/configs/references.ts';
import type { Preflight } from './preflight-document.ts';

/** A Canary, its target and objects, and the plan of its arrival. */
export interface Arrived {
  canary: Canary;
  provider: Provider | undefined;
  target: KubeObject;
  /** Objects of its namespace. */
  objects: readonly KubeObject[];
  plan: ArrivalPlan;
  /** It distinguishes the sides. */
  label: SelectorLabel;
  /** Objects of the user's that the routes repeat. */
  carried: readonly KubeObject[];
}

interface Difference {
  /** In docs/differences.md. */
  id: string;
  /** One sentence, where the difference applies to this Canary. */
  says(arrived: Arrived): string | undefined;
}

interface Workload {
  replicas: number;
  selector: { matchLabels?: Record<string, string> };
  template: PodTemplate;
}

const workloadOf = ({ target }: Arrived) => specOf<Workload>(target);
const podsOf = (arrived: Arrived): JsonRecord => {
  const spec: unknown = workloadOf(arrived).template?.spec;
  return isRecord(spec) ? spec : {};
};
const hooksOf = ({ canary }: Arrived, type: string) =>
  (canary.spec.analysis.webhooks ?? []).filter((one) => one.type === type).map(({ name }) => name);
const isSpread = (arrived: Arrived) => podsOf(arrived).affinity != null || podsOf(arrived).topologySpreadConstraints != null;

/** The apex Service, if its user has made it. */
function foundApex({ canary, objects }: Arrived): KubeObject | undefined {
  const { apexService } = names(canary);
  const key = refKey({ apiVersion: 'v1', kind: 'Service', name: apexService, namespace: canary.metadata.namespace });
  const found = objects.find((one) => refKey(refOf(one)) === key);
  return isFoundInPlace(found) ? found : undefined;
}

const portsOf = (service: KubeObject | undefined) => (service && specOf<ServiceSpec>(service).ports) ?? [];
/** Tests if pods of other workloads have the label, or will share it with the primary, where another label of the target tells them apart. */
function isLabelShared(arrived: Arrived): boolean {
  const { target, objects, label } = arrived;
  const own = Object.entries(workloadOf(arrived).selector?.matchLabels ?? {});
  const sides = [target.metadata.name, `${target.metadata.name}-primary`];
  const others = objects.filter(({ metadata }) => !sides.includes(metadata.name));
  const labels = others.map((one) => specOf<Workload>(one).template?.metadata?.labels ?? {});
  const isApart = (its: Record<string, string>) => own.some(([key, value]) => key !== label.key && its[key] !== value);
  return labels.some((its) => [label.value, primaryValue(label.value)].includes(its[label.key] ?? '') && isApart(its));
}

const ownPort = (arrived: Arrived) => portsOf(foundApex(arrived)).find(({ port }) => port === arrived.canary.spec.service.port);

function companionsOf({ plan }: Arrived, kind: string, isMeant: (mark: string) => boolean = () => true): string | undefined {
  const found = plan.companions.filter(
    ({ source, object }) => source.kind === kind && isMeant(object.metadata.annotations?.[companionAnnotation] ?? ''),
  );
  return found.length === 0 ? undefined : `${kind} ${listed(found.map(({ source }) => source.name))}`;
}

const listed = (all: readonly string[]): string =>
  all.length > 3 ? `${all.slice(0, 3).join(', ')} and ${all.length - 3} more` : all.join(', ');
const ofAny = (all: readonly string[], say: (text: string) => string): string | undefined =>
  all.length === 0 ? undefined : say(listed(all));
const where = (is: unknown, text: string): string | undefined => (is ? text : undefined);

/** Differences that a user of such a Canary meets on arrival and in a release. Differences of every Canary are only in docs/differences.md. */
export const differences: readonly Difference[] = [
  {
    id: 'DF764',
    says: ({ plan }) =>
      ofAny(
        plan.follows.map(({ object }) => object.name),
        (all) => `Service ${all} follows the apex Service; with Flagger it has no endpoints once the target is scaled to zero`,
      ),
  },
  {
    id: 'DF767',
    says: (arrived) =>
      where(
        isLabelShared(arrived),
        `pods of others also have ${arrived.label.key}=${arrived.label.value}: Services select by all matchLabels; with Flagger by this label only, and so also pods of others`,
      ),
  },
  {
    id: 'DF765',
    says: ({ plan }) =>
      where(
        plan.losses.some(({ isRefused }) => isRefused),
        'it is refused for what would be lost; Flagger does not look',
      ),
  },
  {
    id: 'DF760',
    says: (arrived) =>
      companionsOf(arrived, 'PodDisruptionBudget')?.concat(' gets a companion for the primary; with Flagger it selects nothing'),
  },
  {
    id: 'DF761',
    says: (arrived) =>
      companionsOf(arrived, 'NetworkPolicy', (mark) => !isPeersMark(mark))?.concat(
        ' gets a companion for the primary; with Flagger it does not hold for it',
      ),
  },
  {
    id: 'DF762',
    says: (arrived) =>
      companionsOf(arrived, 'NetworkPolicy', isPeersMark)?.concat(
        ' gets a companion that admits the primary; with Flagger it shuts the primary out',
      ),
  },
  {
    id: 'DF763',
    says: (arrived) =>
      companionsOf(arrived, 'VerticalPodAutoscaler')?.concat(' gets a companion for the primary; with Flagger it is only for the target'),
  },
  {
    id: 'DF320',
    says: (arrived) =>
      ofAny(
        portsOf(foundApex(arrived))
          .filter(({ port }) => port !== arrived.canary.spec.service.port)
          .map(({ name, port }) => name ?? String(port)),
        (all) => `the apex Service keeps its port ${all}; with Flagger it loses it`,
      ),
  },
  {
    id: 'DF741',
    says(arrived) {
      const { portName, appProtocol } = arrived.canary.spec.service;
      const port = ownPort(arrived);
      const kept = [
        ...(portName === undefined && port?.name !== undefined && port.name !== 'http' ? [`its name ${port.name}`] : []),
        ...(appProtocol === undefined && port?.appProtocol !== undefined ? [`its appProtocol ${port.appProtocol}`] : []),
      ];
      return ofAny(kept, (all) => `the port of the apex Service keeps ${all}; with Flagger it is called http, without appProtocol`);
    },
  },
  {
    id: 'DF743',
    says(arrived) {
      const { annotations } = termsFor(arrived.canary, 'primary', foundApex(arrived), undefined);
      const carried = annotations[carriedAnnotation]?.split(' ') ?? [];
      return ofAny(carried, (all) => `${all} of the apex Service holds for the Services of both sides; with Flagger only for itself`);
    },
  },
  {
    id: 'DF744',
    says: ({ carried }) =>
      ofAny(
        carried.filter(({ kind }) => kind === 'DestinationRule').map(({ metadata }) => metadata.name),
        (all) => `the DestinationRules of both sides repeat ${all}; those of Flagger hide it`,
      ),
  },
  {
    id: 'DF633',
    says({ canary, provider }) {
      const { portDiscovery, gateways = [] } = canary.spec.service;
      const isAtEdge = gateways.some((one) => one !== 'mesh') && gateways.includes('mesh');
      return where(
        provider === 'istio' && portDiscovery && isAtEdge,
        'clients in the mesh are routed only at the port of the Canary; with Flagger all their ports lead to it',
      );
    },
  },
  {
    id: 'DF40',
    says: (arrived) =>
      where(
        Object.keys(workloadOf(arrived).selector?.matchLabels ?? {}).length > 1,
        'the selector of the primary keeps all of matchLabels; that of Flagger one label',
      ),
  },
  {
    id: 'DF41',
    says: (arrived) =>
      where(
        arrived.target.kind === 'Deployment' && isSpread(arrived),
        'affinity and topology spread are rewritten exactly where they select the pods of the target; Flagger compares names',
      ),
  },
  {
    id: 'DF44',
    says: (arrived) =>
      where(
        arrived.target.kind === 'DaemonSet' && isSpread(arrived),
        'affinity and topology spread of the primary are rewritten; Flagger copies them unmodified',
      ),
  },
  {
    id: 'DF54',
    says({ target: { metadata } }) {
      const marks = Object.entries({ ...metadata.labels, ...metadata.annotations }).filter(([key, value]) => isTracking(key, value));
      const isOfTool = marks.some(([key]) => !key.startsWith('deployment.kubernetes.io/') && !key.startsWith('deprecated.'));
      return where(isOfTool, 'what Argo CD, Flux, Helm or kubectl know the target by is not copied to the primary; Flagger copies it');
    },
  },
  {
    id: 'DF56',
    says: (arrived) =>
      ofAny(
        configReferences(podsOf(arrived)).map(({ kind, name }) => `${kind} ${name}`),
        (all) => `the primary reads copies of ${all} that are called NAME-primary-DIGITS and never change; with Flagger NAME-primary`,
      ),
  },
  {
    id: 'DF14',
    says: (arrived) =>
      where(
        workloadOf(arrived).replicas === 0,
        'the target has no pods: it counts as ready once it has a ready pod; with Flagger also without pods',
      ),
  },
  {
    id: 'DF330',
    says: ({ canary: { spec } }) =>
      where(
        spec.autoscalerRef,
        `the minimum of ${spec.autoscalerRef?.kind} ${spec.autoscalerRef?.name} is raised for a release and put back; Flagger does not write it`,
      ),
  },
  {
    id: 'DF17',
    says: ({ canary: { spec } }) =>
      where(spec.skipAnalysis, 'with skipAnalysis a release waits for the primary and for confirm-rollout; with Flagger for neither'),
  },
  {
    id: 'DF37',
    says: ({ canary: { spec } }) =>
      where(
        spec.revertOnDeletion,
        'the finalizer of revertOnDeletion is dropped when the namespace goes, or after ten minutes without a ready target; with Flagger it can block both',
      ),
  },
  {
    id: 'DF301',
    says: (arrived) =>
      ofAny(
        hooksOf(arrived, 'rollback'),
        (all) => `rollback hook ${all} is called in every step before the promotion; by Flagger only while the analysis goes on`,
      ),
  },
  {
    id: 'DF22',
    says: (arrived) =>
      ofAny(hooksOf(arrived, 'confirm-promotion'), (all) => `gate ${all} is called once an interval; by Flagger every second interval`),
  },
  {
    id: 'DF302',
    says: (arrived) =>
      arrived.canary.spec.analysis.mirror
        ? ofAny(
            hooksOf(arrived, 'confirm-traffic-increase'),
            (all) => `gate ${all} is also called after the mirror step; Flagger does not call it then`,
          )
        : undefined,
  },
  {
    id: 'DF177',
    says: ({ canary: { spec } }) =>
      ofAny(
        (spec.analysis.alerts ?? []).filter(({ severity }) => !severity).map(({ name }) => name),
        (all) => `alert ${all} has no severity and is sent from info on; Flagger never sends it`,
      ),
  },
  {
    id: 'DF104',
    says: ({ canary: { spec } }) =>
      where(
        spec.analysis.sessionAffinity?.primaryCookieName,
        'users of the primary are divided again when the weight moves; with Flagger they stay for ever',
      ),
  },
  {
    id: 'DF342',
    says: ({ canary, provider }) =>
      ofAny(
        findingsOnce(canary, provider)
          .filter(({ isIgnored }) => isIgnored)
          .map(({ path }) => path),
        (all) => `${all} has no effect, and FieldIgnored says so; Flagger is silent`,
      ),
  },
  {
    id: 'DF86',
    says: ({ canary: { spec }, provider }) =>
      where(
        provider === 'nginx' && spec.ingressRef,
        'the Ingress of the canary has only the paths of the application; that of Flagger is a copy of the whole',
      ),
  },
  {
    id: 'DF93',
    says: ({ canary: { spec }, provider }) =>
      where(
        provider === 'skipper' && spec.ingressRef,
        'the Ingress of the canary has the paths of the application, and none before the canary has a share; that of Flagger goes first at once',
      ),
  },
  {
    id: 'DF143',
    says: ({ canary: { spec }, provider }) =>
      where(
        provider === 'gatewayapi:v1' && spec.service.appProtocol === 'grpc',
        'its route is a GRPCRoute, unless an HTTPRoute serves the application already; that of Flagger an HTTPRoute',
      ),
  },
  {
    id: 'DF511',
    says: ({ target, provider }) =>
      where(
        target.kind === 'DaemonSet' && (provider === 'kubernetes' || provider?.startsWith('gatewayapi')),
        'built-in checks select pods by the names that a DaemonSet gives them; with Flagger they find none',
      ),
  },
  {
    id: 'DF506',
    says: ({ target, provider }) =>
      where(
        target.kind === 'DaemonSet' && provider === 'linkerd',
        'built-in checks select by the label daemonset; with Flagger by deployment, which finds nothing',
      ),
  },
];

/** The differences from Flagger that apply to this Canary. */
export function differencesOf(arrived: Arrived): Preflight['differences'] {
  return differences.flatMap(({ id, says }) => {
    const sentence = says(arrived);
    return sentence === undefined ? [] : [{ id, sentence }];
  });
}
