import type { Ending } from '../api/ending.ts';
import { specOf } from '../api/kinds/spec-of.ts';
import type { KubeObject } from '../api/kube-object.ts';
import { DEFAULT_MESH_PROVIDER } from '../api/mesh-provider.ts';
import { parseCanary } from '../api/parse-canary.ts';
import type { VirtualWorld } from '../embedded/virtual/virtual-world.ts';
import type { CheckNote } from './checks.ts';
import { tooLong } from './limits.ts';
import type { NotApplied } from './manifests.ts';
import type { Moment } from './recorder.ts';
import type { Scenario } from './scenario.ts';
import type { RequestCounts } from './users.ts';

export interface RehearsalInput {
  objects: readonly KubeObject[];
  /** An element of `objects`, with its namespace. */
  canary: KubeObject;
  scenario: Scenario;
  seed: number;
  requestsPerSecond: number;
  /** Values of checks, by the name of the metric or of its template. */
  assumed: ReadonlyMap<string, number>;
  /** Traffic provider of Canaries without `spec.provider`. */
  provider?: string | undefined;
  /** The controller's own command, in virtual time. */
  startController: StartController;
}

export type StartController = (
  world: VirtualWorld,
  args: readonly string[],
  log: (text: string) => void,
  apiUrl: string,
) => { stop(signal?: 'TERM' | 'KILL'): Promise<void> };

/** `notStarted`: the release did not start; `message` says why. */
export type RehearsalOutcome = 'promoted' | 'rolledBack' | 'unfinished' | 'notStarted';

/** Requests and answers since the previous sample. */
export interface RehearsalSample {
  atMs: number;
  requests: RequestCounts;
  pods: { old: number; new: number };
}

export interface Rehearsal {
  canary: { namespace: string; name: string };
  scenario: Scenario;
  outcome: RehearsalOutcome;
  /** Phase and condition at the end. */
  phase: string;
  message: string;
  /** Reason for the end of the release; absent while it has not ended. */
  ending?: Ending | undefined;
  /** Time from the push of the new version to the end. */
  tookMs: number;
  /** Requests from the push to the end. */
  requests: RequestCounts;
  peakPods: number;
  /** `atMs` is counted from the push; moments before the push are negative. */
  moments: readonly Moment[];
  samples: readonly RehearsalSample[];
  checkNotes: readonly CheckNote[];
  /** Assumptions of the model, one sentence each. */
  assumptions: readonly string[];
  /** Objects made up because the manifests lack them. */
  supplied: readonly KubeObject[];
  notApplied: readonly NotApplied[];
  /** Lines of the controller's log. */
  log: string;
}

/** Providers whose routes the embedded mesh does not honour. */
const UNROUTED = ['appmesh', 'appmesh:v1beta2', 'appmesh:v1beta1', 'kuma'];

/** Reason for which a Canary cannot be rehearsed, and its field; undefined if it can. */
export function rehearsalProblem(canary: KubeObject, provider?: string): { field?: string; message: string } | undefined {
  const parsed = parseCanary(withProvider(canary, provider));
  if ('problems' in parsed) return { message: parsed.problems.map(({ path, message }) => `${path}: ${message}`).join('; ') };
  const { spec } = parsed.canary;
  if (UNROUTED.includes(spec.provider ?? '')) return { field: 'spec.provider', message: `routes of ${spec.provider} are not modelled` };
  if (spec.targetRef.kind === 'Service' && spec.targetRef.apiVersion === 'v1')
    return { field: 'spec.targetRef.kind', message: 'releases of a Service are not modelled' };
  if (spec.suspend) return { field: 'spec.suspend', message: 'a suspended Canary releases nothing: set it to false' };
  return tooLong(parsed.canary);
}

/** The Canary with its provider by name, as the controller sees it. */
export function withProvider(canary: KubeObject, provider: string = DEFAULT_MESH_PROVIDER): KubeObject {
  const spec = specOf<{ provider: string }>(canary);
  return spec.provider ? canary : { ...canary, spec: { ...spec, provider } };
}
