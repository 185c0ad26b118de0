import type { Canary } from './canary.ts';

/** Names of all objects that a Canary owns or touches. */
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
    /** The additional Ingress with the canary's weight; absent without `ingressRef`. */
    ingressCopy: ingressRef && `${ingressRef.name}-canary`,
    /** The additional ApisixRoute; absent without `routeRef`. */
    routeCopy: routeRef && `${routeRef.name}-${apex}-canary`,
    /** Traefik: target of the apex TraefikService while requests are mirrored. */
    mirrorService: `${apex}-mirror`,
    /** Absent if the target has no scaler. */
    primaryScaler: canary.spec.autoscalerRef && `${canary.spec.autoscalerRef.name}-primary`,
    /** The ControllerRevision that owns what we generate and holds the target's original values. */
    anchor: anchorName(canary),
  } as const;
}

const ANCHOR = '-serin-anchor';

/** Also works for a Canary whose spec cannot be read. */
export function anchorName({ metadata }: { metadata: { name: string } }): string {
  return metadata.name + ANCHOR;
}

/** The Secret that keeps the salt of a Canary's checksums. */
export function saltName({ metadata }: { metadata: { name: string } }): string {
  return `${metadata.name}-serin-salt`;
}

/** The name of the Canary to which an anchor belongs. */
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
/** On a route that is kept after its Canary: the apex Service for which it was made, as `namespace/name`. The next Canary of that apex owns it. */
export const madeForAnnotation = 'serin.dev/made-for';
/** On an object that Serin made: data carried over from an object of the user's. */
export const carriedAnnotation = 'serin.dev/carried';
/** `"true"` on the Canary, the target or the anchor: the primary serves on when both are deleted. */
export const keepAnnotation = 'serin.dev/keep-on-uninstall';
/** On an anchor: split routes of the user's, if they differ from those in its data, as JSON. */
export const listedRoutesAnnotation = 'serin.dev/listed-routes';
/** On an anchor: the specs that the Canary was run by, as JSON; see `adoption/accepted-specs.ts`. */
export const acceptedSpecsAnnotation = 'serin.dev/accepted-specs';
/** On an anchor: the generation of the Canary at the newest of these. */
export const acceptedGenerationAnnotation = 'serin.dev/accepted-generation';
/** On an anchor: the timestamp since which neither its Canary nor its target exists. */
export const uninstallSinceAnnotation = 'serin.dev/uninstall-since';
/** On an anchor and its target: the primary keeps serving, since the revision of the target was not promoted; see `kept-primary.ts`. */
export const keptAnnotation = 'serin.dev/kept-primary';
/** On the primary's scaler: fields that the last promotion copied from the user's, to which it is restored. */
export const promotedScalerAnnotation = 'serin.dev/promoted-scaler';
/** On an anchor: the target's template at the deletion of its Canary. A different template is a push of its user. */
export const deletedWithAnnotation = 'serin.dev/deleted-with';
/** On a target: the revision that its user accepts, which ends a kept primary. */
export const acceptAnnotation = 'serin.dev/accept';
/**
 * On the apex Service and its followers: the uid of that Service, by which the apex guard keeps its selector; see `apex-guard.ts`. Any other value has no
 * effect, and `"false"` is never overwritten.
 */
export const guardAnnotation = 'serin.dev/keeps-selector';
/** Marks a Canary that Serin has left to another controller, with the time. The other controller writes the status, and removes Serin's entries there. */
export const asideAnnotation = 'serin.dev/left-to-another-controller';
/** A new value lets Serin continue with a Canary that it left to another controller. */
export const resumeAnnotation = 'serin.dev/resume';
/** On a Canary: `"true"` adds the conditions of kstatus to its status, `"false"` leaves them out where the flag is set; see `kstatus.ts`. */
export const kstatusAnnotation = 'serin.dev/kstatus';
/** A user's request to a Canary; see `verb-request.ts`. */
export const requestAnnotation = 'serin.dev/request';
/** Annotations that make Flux ignore an object. */
export const fluxOff = {
  'kustomize.toolkit.fluxcd.io/reconcile': 'disabled',
  'helm.toolkit.fluxcd.io/driftDetection': 'disabled',
} as const;
