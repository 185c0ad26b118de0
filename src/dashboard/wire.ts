/** Messages between the server and the page, as JSON. Only types: the page's bundle gets nothing from here. */

/** A Canary by its namespace and name. */
export interface CanaryName {
  namespace: string;
  name: string;
}

/** A gate, object, check, Canary or decision that a Canary waits for. */
export interface WaitView {
  kind: string;
  /** The same for all that wait for the same. */
  name: string;
  /** Why, from the list of codes (docs/reasons.md): one object can be waited for because of several. */
  code: string;
  /** The field concerned. */
  field?: string | undefined;
  /** The person or team who can end it. */
  who: string;
  /** RFC 3339. */
  since?: string | undefined;
  until?: string | undefined;
}

/** Reason for the end of the last release. */
export interface EndingView {
  code: string;
  detail: string;
  /** RFC 3339. */
  at: string;
  /** The person or team who can act. */
  actor: string;
  remedy: string;
}

/** One line of the list. */
export interface CanaryRow extends CanaryName {
  /** Empty until a controller has seen the Canary. */
  phase: string;
  suspended: boolean;
  target: { kind: string; name: string };
  provider?: string | undefined;
  /** Percent of requests. */
  traffic: { kind: string; primary: number; canary: number };
  failedChecks: number;
  threshold?: number | undefined;
  revision?: string | undefined;
  promotedRevision?: string | undefined;
  /** RFC 3339. */
  since?: string | undefined;
  message?: string | undefined;
  /** Progress of the release; absent if none is under way. */
  steps?: { at: number; of: number; unit: 'weight' | 'iteration' } | undefined;
  /** Absent if no release has ended, or one is under way. */
  ending?: EndingView | undefined;
  /** The most urgent first. */
  waits?: readonly WaitView[] | undefined;
}

/** One workload of a Canary. */
export interface WorkloadView {
  kind: string;
  name: string;
  exists: boolean;
  replicas?: number | undefined;
  ready?: number | undefined;
  revision?: string | undefined;
}

/** One pod of a workload. */
export interface PodView {
  name: string;
  side: 'primary' | 'canary';
  images: readonly string[];
  ready: boolean;
  restarts: number;
  phase: string;
}

/** The cause that holds a release, and its remedy. */
export interface CauseView {
  cause: string;
  sentence: string;
  action: string;
  command?: string | undefined;
}

/** One field of a route object: with all traffic at the primary, and now. */
export interface RouteFieldChange {
  /** Kind, namespace and name. */
  object: string;
  /** Empty for the object itself. */
  field: string;
  before?: string | undefined;
  now?: string | undefined;
}

/** Split of traffic, in percent to the canary: the recorded split, and the split that the objects of the provider express now. */
export interface RoutesView {
  /** Kind and name of each object. */
  objects: readonly string[];
  recorded: number;
  /** Absent if the objects express no split, for this reason if it is known. */
  live?: number | undefined;
  unreadable?: string | undefined;
  /** Fields that differ from what the objects hold outside a release, the first ones. */
  changes: readonly RouteFieldChange[];
  /** Number of further fields that are left out. */
  more: number;
}

/** A value over time. */
export interface PointView {
  atMs: number;
  value: number;
}

/** One metric by which the canary is compared with the primary; its numbers are texts, empty before both sides had requests. */
export interface ComparedView {
  metric: string;
  verdict: string;
  sentence: string;
  /** `false` in shadow mode. */
  decides: boolean;
  canary: string;
  primary: string;
  /** Evidence, in percent of the evidence for a decision. */
  against: string;
  inFavour: string;
}

/** One Canary with its release in progress or the last one. */
export interface ReleaseView extends CanaryRow {
  /** The number of the release, 0 if there was none. */
  release: number;
  /** Percent to the canary since the beginning of the release; empty if none was recorded. */
  weights: readonly PointView[];
  /** Epoch milliseconds. */
  readAtMs: number;
  step?: string | undefined;
  workloads: { target: WorkloadView; primary: WorkloadView };
  checks: readonly {
    check: string;
    verdict: string;
    value?: number | undefined;
    /** Value of the primary, if the check compares the two. */
    baseline?: number | undefined;
    limit?: string | undefined;
    /** The limit as numbers, where it has them. */
    min?: number | undefined;
    max?: number | undefined;
    reason?: string | undefined;
    /** The query that gave no value. */
    query?: string | undefined;
    recent?: readonly { at: string; value?: number | undefined }[] | undefined;
  }[];
  compared: readonly ComparedView[];
  gates: readonly { name: string; type: string; state: string; reason?: string | undefined }[];
  events: readonly { at?: string | undefined; type: string; reason: string; message: string; count: number }[];
  pods: readonly PodView[];
  /** A release is in progress, and something holds it. */
  isHeld: boolean;
  causes: readonly CauseView[];
  routes?: RoutesView | undefined;
  /** Notes on what could not be read. */
  hidden: readonly string[];
}

/** Promoted revisions, and the releases whose journals are kept; the newest first. */
export interface HistoryView {
  promoted: readonly { number: number; revision: string; current: boolean; recorded?: string | undefined; images: readonly string[] }[];
  releases: readonly {
    release: number;
    revision?: string | undefined;
    began?: string | undefined;
    ended?: string | undefined;
    outcome?: string | undefined;
    problems: readonly string[];
  }[];
}

/** One recorded step of a release. */
export interface JournalStep {
  atMs: number;
  /** Percent of requests to the canary. */
  weight: number;
  failedChecks: number;
  state: string;
  text: string;
}

/** Measurements of one check in a release. */
export interface CheckHistoryView {
  check: string;
  /** The last one. */
  limit?: string | undefined;
  /** The same as numbers, where it has them. */
  min?: number | undefined;
  max?: number | undefined;
  failed: number;
  unmeasured: number;
  values: readonly PointView[];
  /** Values of the primary, if the check compares the two. */
  baseline: readonly PointView[];
}

/** The journal of one release. */
export interface JournalView extends CanaryName {
  release: number;
  revision: string;
  outcome?: string | undefined;
  steps: readonly JournalStep[];
  /** The first ones. */
  checks: readonly CheckHistoryView[];
}

/** The fields of the primary that a promotion would change now, and the routes beside what is recorded. */
export interface DifferenceView {
  routes?: RoutesView | undefined;
  changes: readonly { field: string; promoted?: string | undefined; target?: string | undefined }[];
  hidden: readonly string[];
}

/** Outcome of a request to a release. */
export interface VerbAnswer {
  outcome: string;
  message?: string | undefined;
}

/** The reader's session. */
export interface SessionView {
  /** By default the user of the kubeconfig. */
  user?: string | undefined;
  /** Verbs can be requested, where the user has the right to them. */
  mayAct: boolean;
}

/** Events of the stream of all Canaries, by their names. */
export interface ListEvents {
  /** All of them. */
  list: { rows: readonly CanaryRow[]; unavailable?: string | undefined };
  row: CanaryRow;
  gone: CanaryName;
}
