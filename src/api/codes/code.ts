/** Who can end what a code stands for. */
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
 * Where a code is seen: the reason of an event; the code of a blocker, which is also the reason of the condition `Accepted`; a cause of
 * `serin why`; the type of a condition that warns while it is True; `status.release.ending.code`.
 */
export type CodeKind = 'event' | 'blocker' | 'cause' | 'condition' | 'ending';

/** What a code is about in one case. A remedy can name it. */
export interface About {
  object?: { kind: string; name: string; namespace?: string | undefined } | undefined;
  /** A field of the object; without one, of the Canary. */
  field?: string | undefined;
  /** Name in `spec.analysis.webhooks`. */
  webhook?: string | undefined;
  /** Name in `spec.analysis.metrics`. */
  metric?: string | undefined;
  /** Text of another component. */
  detail?: string | undefined;
}

/** What a code says of a release that it has ended. */
export interface Ended {
  outcome: 'promoted' | 'promotionFailed' | 'rolledBack' | 'superseded' | 'cancelled';
  /** Words in capitals are filled in: TARGET, CANARY, NAMESPACE, METRIC, WEBHOOK, FIELD. */
  remedy: string;
  /** The remedy is another version of the target. */
  isOfVersion?: true;
}

/** One code: what it means, who can act, and how. */
export interface Code {
  kinds: readonly CodeKind[];
  /** A clause, so that it can follow a colon. */
  meaning: string;
  actor: Actor;
  /** Who can act in a case that names no object, where the actor is the owner of one; absent: the owner of the Canary, who reads the message. */
  unnamed?: Actor;
  /** A clause that says what to do; a function where it names the object, the field or the detail. */
  remedy: string | ((about: About) => string);
  /** Ends it, run unmodified. Words in capitals are filled in. */
  command?: string;
  /** Shows more of it, or opens the object to correct. Words in capitals are filled in. */
  look?: string;
  /** With the kind `ending`. */
  ended?: Ended;
  /** Markdown, for docs/reasons.md. */
  usualCauses?: string;
  /** Page of docs/ that says more. */
  page?: string;
}
