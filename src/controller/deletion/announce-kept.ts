import type { Canary } from '../../api/canary.ts';
import type { KeptPrimary } from '../../api/kept-primary.ts';
import type { KubeObject } from '../../api/kube-object.ts';
import { acceptAnnotation, names } from '../../api/names.ts';
import { shorten } from '../../base/field-path.ts';
import type { DepsOf } from '../controller-deps.ts';
import { targetRefOf } from '../facts/gather-facts.ts';
import type { HandOver, SeenAtDeletion } from './hand-over.ts';

type AnnounceDeps = DepsOf<'cluster' | 'announceOn'>;
type Because = Extract<HandOver, { to: 'target' }>['because'];

/** The user's word names another revision than the target holds: that must not pass in silence. */
export function refuseAcceptance(
  canary: Canary,
  target: KubeObject,
  { accepted, revision }: Pick<SeenAtDeletion, 'accepted' | 'revision'>,
  kept: KeptPrimary,
  { announceOn }: AnnounceDeps,
): void {
  if (accepted === undefined || accepted === revision) return;
  const message = `the annotation ${acceptAnnotation} of ${kept.target} must be ${revision}, which it holds; it is ${shorten(accepted)}, so nothing is handed over; ${kept.next}`;
  announceOn({ ...target, ...targetRefOf(canary) }, { reason: 'PrimaryKept', type: 'Warning', message });
}

/** A Warning on the target and on the Service that clients call. */
export const announceKept = (canary: Canary, message: string, deps: AnnounceDeps): Promise<void> =>
  announceOnBoth(canary, { reason: 'PrimaryKept', type: 'Warning', message }, deps);

/** Says what has ended a kept primary. */
export function announceHandOver(canary: Canary, because: Because, deps: AnnounceDeps): Promise<void> {
  const { kind, name } = canary.spec.targetRef;
  const message = `${kind}/${name} is ready and gets the traffic, and its primary goes: ${wordsOf[because]}`;
  return announceOnBoth(canary, { reason: 'HandedOver', type: 'Normal', message }, deps);
}

const wordsOf: Record<Because, string> = {
  promoted: 'it holds the promoted revision again',
  accepted: `its revision was accepted with the annotation ${acceptAnnotation}`,
  pushed: 'it was changed after its Canary was deleted',
  reached: 'users had been led to it',
  unknown: 'it is not known what was promoted',
};

/** Announces it on the target, and on the Service that clients call. */
async function announceOnBoth(
  canary: Canary,
  announcement: Parameters<AnnounceDeps['announceOn']>[1],
  { cluster, announceOn, signal }: AnnounceDeps,
): Promise<void> {
  const apex = { apiVersion: 'v1', kind: 'Service', name: names(canary).apexService, namespace: canary.metadata.namespace };
  for (const ref of [targetRefOf(canary), apex]) {
    const object = await cluster.get(ref, { signal });
    if (object) announceOn({ ...object, ...ref }, announcement);
  }
}
