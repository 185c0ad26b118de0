import { parseStatus } from '../../api/parse-status.ts';
import { obstacleIn, unconfirmedIn } from '../../engine/explain.ts';
import { type Diagnosis, outputVersion, type Why } from '../output/documents.ts';
import type { Sight } from '../people/sight.ts';
import { proofIn, type Trouble, toSet } from './finding.ts';
import { fromObstacle } from './from-obstacle.ts';
import { fromRefusal, suspended } from './from-refusal.ts';
import { fromStep } from './from-step.ts';

/** What holds a Canary, by the objects as they stand. Pure. What a person has to mend first comes first. */
export function whyOf(sight: Sight): Why {
  const { raw } = sight;
  const status = parseStatus(raw.status);
  const [trouble, sentence] = mainTrouble(sight);
  return {
    apiVersion: outputVersion,
    kind: 'Why',
    namespace: raw.metadata.namespace ?? '',
    name: raw.metadata.name,
    phase: status?.phase ?? '',
    waits: trouble.cause !== 'Resting' && trouble.cause !== 'Failed',
    diagnosis: { ...trouble, sentence },
    also: beside(sight),
  };
}

function mainTrouble(sight: Sight): [Trouble, string] {
  const { raw, canary } = sight;
  const status = parseStatus(raw.status);
  const { release, phase = '', conditions = [] } = status ?? {};
  const said = conditions.find(({ type }) => type === 'Promoted')?.message ?? 'No controller has said anything of it yet.';
  if (raw.metadata.deletionTimestamp !== undefined) return [deleting(sight), said];
  const refused = conditions.find(({ type, status: is }) => type === 'Accepted' && is === 'False');
  if (refused) return [fromRefusal(sight, refused), release ? said : (refused.message ?? said)];
  if (!canary || !release || phase === '') return [unseen(sight), said];
  if (canary.spec.suspend === true) return [suspended(sight), said];
  const obstacle = obstacleIn(said);
  if (obstacle !== undefined) return [fromObstacle(sight, obstacle), said];
  const unconfirmed = unconfirmedIn(said);
  if (unconfirmed !== undefined) {
    const proof = [proofIn(raw, 'status.conditions[Promoted].message', unconfirmed)];
    return [{ cause: 'RouteUnconfirmed', proof, action: 'correct what the provider says against the route: it names the object' }, said];
  }
  if (release.paused) return [paused(sight, release.paused), said];
  return [fromStep(sight, canary, phase, release), said];
}

function paused({ raw }: Sight, pause: { by: string }): Trouble {
  const { name, namespace } = raw.metadata;
  return {
    cause: 'Paused',
    proof: [proofIn(raw, 'status.release.paused.by', pause.by)],
    action: 'resume it, or promote it or take it back',
    command: `serin resume ${name} -n ${namespace}`,
  };
}

function unseen({ raw }: Sight): Trouble {
  return {
    cause: 'Unseen',
    proof: [proofIn(raw, 'status.release', raw.status?.release)],
    action: 'start the controller, or let its --namespace and --canary-selector reach this Canary',
    look: 'kubectl get deployment -A -l app.kubernetes.io/name=serin',
  };
}

function deleting({ raw }: Sight): Trouble {
  const { finalizers = [], name, namespace } = raw.metadata;
  return {
    cause: 'Deleting',
    proof: [proofIn(raw, 'metadata.finalizers', finalizers)],
    action:
      'start the controller that set the finalizer: it puts everything back and then lets the Canary go; one that nobody serves any more has to be taken out',
    change: toSet(raw, 'metadata.finalizers'),
    look: `kubectl get canary ${name} -n ${namespace} -o yaml`,
  };
}

/** Standing warnings: they hold up nothing now. */
function beside({ raw }: Sight): Diagnosis[] {
  const { conditions = [], release } = parseStatus(raw.status) ?? {};
  const told = conditions.flatMap(({ type, status, message = '' }): Diagnosis[] => {
    if (type === 'Promoted' || type === 'Accepted' || status !== 'True') return [];
    const action = message.includes('; ') ? message.slice(message.lastIndexOf('; ') + 2) : 'see docs/reasons.md';
    return [{ cause: type, sentence: message, proof: [proofIn(raw, `status.conditions[${type}].message`, message)], action }];
  });
  const waiting = release?.deliveries?.length ?? 0;
  if (waiting === 0) return told;
  const proof = [proofIn(raw, 'status.release.deliveries', `${waiting} waiting`)];
  return [
    ...told,
    {
      cause: 'Undelivered',
      sentence: `${waiting} messages wait for their receivers.`,
      proof,
      action: 'bring the receivers of alerts and event webhooks back',
    },
  ];
}
