/** Actors who can resolve the situation that a code names. */
export const actors = {
  canaryOwner: 'the owner of the Canary',
  workloadOwner: 'the owner of the target',
  objectOwner: 'the owner of the object that it names',
  gateOwner: 'the owner of the webhook',
  receiverOwner: 'the owner of the receiver',
  metricsOwner: 'the owner of the metrics',
  clusterAdmin: 'the administrator of the cluster',
  serinAdmin: 'the administrator of Serin',
  byItself: 'no one: it ends by itself',
  noAction: 'no one: it is for information',
} as const satisfies Record<string, string>;
export type Actor = keyof typeof actors;

/**
 * Places in which a code is seen: the reason of an event; the code of a blocker, which is also the reason of the condition `Accepted`; a cause of `serin why`;
 * the type of a condition that warns while it is True; `status.release.ending.code`.
 */
export type CodeKind = 'event' | 'blocker' | 'cause' | 'condition' | 'ending';

/** Subject of a code in one case. A remedy can name it. */
export interface About {
  object?: { kind: string; name: string; namespace?: string | undefined } | undefined;
  /** A field of the object; without an object, of the Canary. */
  field?: string | undefined;
  /** Name in `spec.analysis.webhooks`. */
  webhook?: string | undefined;
  /** Name in `spec.analysis.metrics`. */
  metric?: string | undefined;
  /** Text of another component. */
  detail?: string | undefined;
}

/** Effect of a code that ended a release. */
export interface Ended {
  outcome: 'promoted' | 'promotionFailed' | 'rolledBack' | 'superseded' | 'cancelled';
  /** Words in capitals are filled in: TARGET, CANARY, NAMESPACE, METRIC, WEBHOOK, FIELD. */
  remedy: string;
  /** The remedy is another version of the target. */
  isOfVersion?: true;
}

/** One code: its meaning, its actor and its remedy. */
export interface Code {
  kinds: readonly CodeKind[];
  /** A clause, so that it can follow a colon. */
  meaning: string;
  actor: Actor;
  /** Actor in a case without an object, if the actor is the owner of an object. If absent, it is the owner of the Canary, who reads the message. */
  unnamed?: Actor;
  /** A clause with the action to take; a function if it names the object, the field or the detail. */
  remedy: string | ((about: About) => string);
  /** Command that resolves it when run unmodified. Words in capitals are filled in. */
  command?: string;
  /** Command that shows more of it, or opens the object to correct. Words in capitals are filled in. */
  look?: string;
  /** Set with the kind `ending`. */
  ended?: Ended;
  /** As the cause of an end: its remedy is another version of the target. Otherwise it lies outside of it, and the same version is released again. */
  isOfVersion?: true;
  /** Markdown, for docs/reasons.md. */
  usualCauses?: string;
  /** Page of docs/ that says more. */
  page?: string;
}
