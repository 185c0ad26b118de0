import type { Canary } from './canary.ts';

/** Everything that a Canary owns or touches has its name from here. Source: 01-8.1. */
export function names(canary: Pick<Canary, 'spec'> & { metadata: { name: string } }) {
  const target = canary.spec.targetRef.name;
  const apex = canary.spec.service.name || target;
  const { ingressRef, routeRef } = canary.spec;
  return {
    target,
    primary: `${target}-primary`,
    apexService: apex,
    primaryService: `${apex}-primary`,
    canaryService: `${apex}-canary`,
    /** The Ingress beside the user's that carries the canary's share; absent without `ingressRef`. */
    ingressCopy: ingressRef && `${ingressRef.name}-canary`,
    /** The ApisixRoute beside the user's; absent without `routeRef`. */
    routeCopy: routeRef && `${routeRef.name}-${apex}-canary`,
    /** Traefik: what the apex TraefikService leads to while requests are mirrored. */
    mirrorService: `${apex}-mirror`,
    /** Absent: the target has no scaler. */
    primaryScaler: canary.spec.autoscalerRef && `${canary.spec.autoscalerRef.name}-primary`,
    /** The ControllerRevision that owns what we generate and holds the target's original values. */
    anchor: anchorName(canary),
  } as const;
}

const ANCHOR = '-serin-anchor';

/** Known of a Canary whose spec cannot be read, too. */
export function anchorName({ metadata }: { metadata: { name: string } }): string {
  return metadata.name + ANCHOR;
}

/** The Secret that keeps the salt of a Canary's checksums. */
export function saltName({ metadata }: { metadata: { name: string } }): string {
  return `${metadata.name}-serin-salt`;
}

/** The name of the Canary that an anchor belongs to. */
export function canaryNameOf(anchor: string): string {
  return anchor.endsWith(ANCHOR) ? anchor.slice(0, -ANCHOR.length) : anchor;
}

/** Server-side apply's field manager, and the manager named in every other write. */
export const fieldManager = 'serin';
/** Flagger's field manager: Serin takes its objects over. */
export const flaggerManager = 'flagger';
/** Flagger's finalizer: Serin uses the same. */
export const finalizer = 'finalizer.flagger.app';
/** Pod-template annotation of the primary; derived from the revision that it was written from. */
export const revisionAnnotation = 'flagger-id';
/** Marks an object as ours: the Canary's uid. */
export const ownerAnnotation = 'serin.dev/canary-uid';
/** On a route that stays after its Canary: the apex Service that it was made for, as `namespace/name`. The next Canary of that apex has it as its own. */
export const madeForAnnotation = 'serin.dev/made-for';
/** On an object that we made: what it has from an object of the user's. */
export const carriedAnnotation = 'serin.dev/carried';
/** `"true"` on the Canary, the target or the anchor: the primary serves on when both are deleted. */
export const keepAnnotation = 'serin.dev/keep-on-uninstall';
/** On an anchor: routes of the user's that are split, where they are others than its data have, as JSON. */
export const listedRoutesAnnotation = 'serin.dev/listed-routes';
/** On an anchor: the specs that the Canary was run by, as JSON; see `adoption/accepted-specs.ts`. */
export const acceptedSpecsAnnotation = 'serin.dev/accepted-specs';
/** On an anchor: the timestamp since which neither its Canary nor its target exists. */
export const uninstallSinceAnnotation = 'serin.dev/uninstall-since';
/** On an anchor and its target: the primary keeps serving, since the target holds what was not promoted; see `kept-primary.ts`. */
export const keptAnnotation = 'serin.dev/kept-primary';
/** On the primary's scaler: what the last promotion made of the user's, to which it is put back. */
export const promotedScalerAnnotation = 'serin.dev/promoted-scaler';
/** On an anchor: the target's template as the deletion of its Canary found it. Another one is a push of its user. */
export const deletedWithAnnotation = 'serin.dev/deleted-with';
/** On a target: the revision that its user accepts, which ends a kept primary. */
export const acceptAnnotation = 'serin.dev/accept';
/**
 * On the apex Service and its followers: the uid of that Service, by which the apex guard keeps its selector; see `apex-guard.ts`. Any other value marks
 * nothing, and `"false"` is never overwritten.
 */
export const guardAnnotation = 'serin.dev/keeps-selector';
/** Marks a Canary that Serin has left to another controller, with the time: the other one writes the status, and takes what Serin says there away. */
export const asideAnnotation = 'serin.dev/left-to-another-controller';
/** A new value lets Serin go on with a Canary that it left to another controller. */
export const resumeAnnotation = 'serin.dev/resume';
/** A user's request to a Canary; see `verb-request.ts`. */
export const requestAnnotation = 'serin.dev/request';
/** Annotations by which Flux leaves an object alone. */
export const fluxOff = {
  'kustomize.toolkit.fluxcd.io/reconcile': 'disabled',
  'helm.toolkit.fluxcd.io/driftDetection': 'disabled',
} as const;
