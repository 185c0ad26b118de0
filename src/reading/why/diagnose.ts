import type { Blocker } from '../../api/blocker.ts';
import { blockerText } from '../../api/blocker-text.ts';
import type { CanaryStatus, Delivery } from '../../api/canary-status.ts';
import { isWarningCondition, needsNoOne, remedyOf } from '../../api/codes/codes.ts';
import { codes } from '../../api/codes/list.ts';
import { isKstatusType } from '../../api/kstatus.ts';
import { asideAnnotation } from '../../api/names.ts';
import { parseStatus } from '../../api/parse-status.ts';
import type { Diagnosis, Why } from '../documents/canary-documents.ts';
import { headOf } from '../documents/output-version.ts';
import type { CanarySnapshot } from '../snapshot.ts';
import { diagnosisOf } from './diagnosis.ts';
import { causeOf, fieldProof, type Trouble, toSet } from './finding.ts';
import { fromBlocker, isOfObjects } from './from-blocker.ts';
import { fromRejection, leftToAnother, suspended } from './from-rejection.ts';
import { fromStep } from './from-step.ts';
import { overdue, unseen } from './unseen.ts';

/** The causes that hold a Canary, from its objects. Pure. The cause to correct first comes first. */
export function whyOf(snapshot: CanarySnapshot): Why {
  const { raw } = snapshot;
  const status = parseStatus(raw.status);
  const general = status?.conditions?.find(({ type }) => type === 'Promoted')?.message ?? 'No controller has reconciled it yet.';
  const [main, ...others] = holding(snapshot, status);
  const diagnosed = ({ trouble, sentence = general }: Holding) => diagnosisOf(snapshot, trouble, sentence);
  return {
    ...headOf('Why', raw.metadata),
    phase: status?.phase ?? '',
    waits: main.trouble.cause !== 'Resting' && main.trouble.cause !== 'Failed',
    diagnosis: diagnosed(main),
    also: [...others.map(diagnosed), ...beside(snapshot, status)],
  };
}

/** A cause that holds the release. Without a sentence of its own the condition `Promoted` says it. */
interface Holding {
  trouble: Trouble;
  sentence?: string;
}

/** The main cause first. */
function holding(snapshot: CanarySnapshot, status: CanaryStatus | undefined): [Holding, ...Holding[]] {
  const { raw, canary } = snapshot;
  const { release, phase = '', conditions = [] } = status ?? {};
  if (raw.metadata.deletionTimestamp !== undefined) return [deleting(snapshot)];
  const pause = release?.paused && paused(snapshot, release.paused);
  const alsoPaused = pause ? [{ trouble: pause, sentence: 'It is also paused: nothing is checked until the pause ends.' }] : [];
  const refused = conditions.find(({ type, status: is }) => type === 'Accepted' && is === 'False');
  const { blockers = [] } = release ?? {};
  if (refused)
    return [{ trouble: fromRejection(snapshot, refused, blockers), ...(!release && { sentence: refused.message ?? '' }) }, ...alsoPaused];
  if (raw.metadata.annotations?.[asideAnnotation] !== undefined) return [{ trouble: leftToAnother(raw) }];
  if (!canary || !release || phase === '') return [{ trouble: unseen(snapshot) }];
  if (canary.spec.suspend === true) return [{ trouble: suspended(snapshot) }, ...alsoPaused];
  const blocker = blockers.find(isOfObjects);
  // A refused promotion lists the cause after itself.
  const isRefused = blockers.some(({ code }, index) => code === 'PrimaryRejected' && blocker && index < blockers.indexOf(blocker));
  const ofObject = blocker && fromBlocker(snapshot, blocker);
  if (ofObject && !isRefused) return [{ trouble: ofObject }, ...alsoPaused];
  const finer = ofObject ? [{ trouble: ofObject, sentence: `The primary is refused: ${blockerText(blocker)}.` }] : [];
  const unconfirmed = blockers.find(({ code }) => code === 'RouteUnconfirmed' || code === 'RouteContested');
  const route = unconfirmed && routeNotInForce(snapshot, unconfirmed);
  if (!pause) {
    const late = overdue(snapshot);
    const held = route ?? fromStep({ snapshot, canary, phase, release });
    // An overdue release does not go on by itself, so that harmless causes are wrong.
    const causes = late ? [late, ...(needsNoOne(held.cause) ? [] : [held])] : [held];
    return [...causes.map((trouble) => ({ trouble })), ...finer] as [Holding, ...Holding[]];
  }
  // A provider often accepts a route a moment later; only a user ends a pause.
  const alsoRoute = route ? [{ trouble: route, sentence: `Its routes are not in force yet: ${blockerText(unconfirmed)}.` }] : [];
  return [{ trouble: pause }, ...alsoRoute];
}

function routeNotInForce({ raw }: CanarySnapshot, unconfirmed: Blocker): Trouble {
  const proof = [fieldProof(raw, 'status.conditions[Promoted].message', blockerText(unconfirmed))];
  return { cause: causeOf(unconfirmed.code), about: unconfirmed, proof };
}

function paused({ raw }: CanarySnapshot, pause: { by: string }): Trouble {
  return { cause: 'Paused', proof: [fieldProof(raw, 'status.release.paused.by', pause.by)] };
}

function deleting({ raw }: CanarySnapshot): Holding {
  const { finalizers = [], deletionTimestamp = '' } = raw.metadata;
  const sentence = `Deleted at ${deletionTimestamp}. It stays until its application is restored and its finalizers are removed: ${finalizers.join(', ')}.`;
  const trouble: Trouble = {
    cause: 'Deleting',
    proof: [fieldProof(raw, 'metadata.finalizers', finalizers)],
    change: toSet(raw, 'metadata.finalizers'),
  };
  return { trouble, sentence };
}

/** Standing warnings: they hold up nothing now. */
function beside({ raw }: CanarySnapshot, { conditions = [], release }: Partial<CanaryStatus> = {}): Diagnosis[] {
  const diagnosed = conditions.flatMap(({ type, status, message = '' }): Diagnosis[] => {
    if (type === 'Promoted' || type === 'Accepted' || isKstatusType(type) || status !== 'True') return [];
    const proof = [fieldProof(raw, `status.conditions[${type}].message`, message)];
    return [{ cause: type, sentence: message, proof, action: isWarningCondition(type) ? remedyOf(type) : 'do what the sentence says' }];
  });
  const { deliveries = [] } = release ?? {};
  if (deliveries.length === 0) return diagnosed;
  const proof = [fieldProof(raw, 'status.release.deliveries', `${deliveries.length} waiting`)];
  return [
    ...diagnosed,
    {
      cause: 'Undelivered',
      sentence: `${deliveries.length} ${codes.Undelivered.meaning}: ${receiversOf(deliveries).join(', ')}.`,
      proof,
      action: remedyOf('Undelivered'),
    },
  ];
}

/** Receivers in a line of text; at most this many are named. */
const MOST_RECEIVERS = 5;

function receiversOf(deliveries: readonly Delivery[]): string[] {
  const all = [...new Set(deliveries.map(receiverOf))];
  return all.length > MOST_RECEIVERS ? [...all.slice(0, MOST_RECEIVERS), `${all.length - MOST_RECEIVERS} more`] : all;
}

function receiverOf({ kind, alert, hook }: Delivery): string {
  if (kind === 'alert')
    return alert?.to === undefined
      ? 'the receiver of --slack-url or --msteams-url'
      : `AlertProvider ${alert.to.namespace}/${alert.to.name}`;
  if (kind === 'event') return 'Events of the Canary';
  return hook === undefined ? 'the event webhooks' : `webhook ${hook.name}`;
}
