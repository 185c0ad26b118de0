import type { KubeObject } from '../../src/api/kube-object.ts';
import type { Environment } from '../scenarios/environment.ts';
import type { HookServer } from '../scenarios/hook-server.ts';

/** Views in which a user looks for the reason. */
export const SURFACES = ['get', 'describe', 'status', 'why', 'validate', 'page', 'alert'] as const;
export type Surface = (typeof SURFACES)[number];

/** Objects as a user's manifests have them. */
export interface Manifests {
  deployment: KubeObject;
  canary: KubeObject;
  more: KubeObject[];
}

export interface MistakeFixture {
  readonly environment: Environment;
  readonly hooks: HookServer;
  /** An https server whose certificate is of an authority that the controller does not know. */
  readonly untrustedUrl: string;
  alertUrl(namespace: string): string;
  /** Prometheus' address, for a corrected reference. */
  readonly prometheusUrl: string;
  /** Sends requests to the application of the namespace until the end. */
  askFor(namespace: string): void;
}

/** One remedy that `serin why` can print, and what a reader does who takes it at its word. */
export interface Remedy {
  /** Matches the finding's `change`, as `set Canary web spec.suspend`, or without one its `action`. */
  says: RegExp;
  /** Commands that the reader finds in the text are run after it. */
  do(fixture: MistakeFixture, namespace: string): unknown;
}

/** One mistake that people make, from the manifests of one application. */
export interface Mistake {
  /** Also the name of its namespace. */
  id: string;
  what: string;
  /** The corrected thing has to be named: object, field, container, image. */
  names: RegExp;
  /** Reason by which a column of a list names it. */
  code: RegExp;
  /** Changes the manifests that are applied first. */
  arrives?(manifests: Manifests, fixture: MistakeFixture, namespace: string): void;
  /** Changes the manifests of the next version, which are applied to a Canary that is initialized; without it the first manifests contain the mistake. */
  pushes?(manifests: Manifests, fixture: MistakeFixture, namespace: string): void;
  /** The release waits without limit, and never ends; nor does an arrival. */
  isEndless?: true;
  /** The version was never at fault, so that a reader chooses `serin retry` where the remedy leaves the choice. */
  hasGoodVersion?: true;
  /** The release passes in spite of it: it is only shown. */
  isHarmless?: true;
  /** `serin validate` can see it in the files, or with `--live` by what the cluster lacks; `undefined` if it can see it in neither, such as an image. */
  validates?: 'files' | 'live';
  /** An alert is due while the release waits, as at a closed gate. */
  alertsWhileWaiting?: true;
  /** Canary in which it shows; default `web`. */
  canary?: string;
  /** Its requests are sent from the arrival on; default true. */
  hasUsers?: false;
  /** The cluster on which it can be made; default both. */
  only?: 'real';
  remedies: readonly Remedy[];
}

/** Seconds until a surface named the mistake; `null` if it never did, and no entry if the surface has nothing to say in this part of the release. */
export type Seconds = Partial<Record<Surface, number | null>>;

export interface Played {
  id: string;
  what: string;
  waiting: Seconds;
  /** Absent if the release has no end. */
  ended?: Seconds;
  /** Seconds from the mistake to the end of the release. */
  endedAfter?: number;
  /** Text of the remedy that `serin why` printed last, and what was done. */
  remedy: { printed: string; done: string; result: string };
  /** Last texts of surfaces that did not name it. */
  unnamed: Record<string, string>;
}
