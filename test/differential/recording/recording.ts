export const SIDES = ['flagger', 'serin'] as const;
export type Side = (typeof SIDES)[number];

/** Namespace of each side: of one length, and found in no other text. */
export const NAMESPACES: Readonly<Record<Side, string>> = { flagger: 'side-one', serin: 'side-two' };

/** Observations of one side, in the order in which they were made. */
export type Entry = { atMs: number } & Fact;
export type Fact =
  | { kind: 'status'; phase: string; weight: number; iterations: number; failedChecks: number }
  /** Pods of a workload; `role` by its name. */
  | { kind: 'pods'; role: 'canary' | 'primary'; desired: number; available: number; isCurrent: boolean; template: string }
  /** Ready endpoints of a Service. */
  | { kind: 'endpoints'; service: string; ready: number }
  /** A route, Service or scaler. `content` is undefined if it was deleted. */
  | { kind: 'object'; object: string; content: unknown }
  | { kind: 'hook'; hook: string; answer: number; payload: Record<string, unknown> }
  | { kind: 'alert'; payload: Record<string, unknown> }
  /** An alert that Serin lists in status before it sends it. */
  | { kind: 'listed'; message: string; reason: string }
  | { kind: 'event'; type: string; reason: string; message: string }
  | { kind: 'query'; query: string }
  /** Requests of users, sent all the time through a data plane that reads the routes: what got no answer, and who answers in the end. */
  | { kind: 'traffic'; lost: string[]; versions: string[] };

/** Both sides of one scenario. */
export type Recording = Readonly<Record<Side, readonly Entry[]>>;

/** The text without the namespace, the only allowed difference between the sides. */
export function neutral(text: string): string {
  return text.replaceAll(NAMESPACES.flagger, 'NAMESPACE').replaceAll(NAMESPACES.serin, 'NAMESPACE');
}

/** Entries of one kind, in order. */
export function ofKind<K extends Fact['kind']>(entries: readonly Entry[], kind: K): (Extract<Fact, { kind: K }> & { atMs: number })[] {
  return entries.filter((entry): entry is Extract<Fact, { kind: K }> & { atMs: number } => entry.kind === kind);
}

/** The canary has had traffic, or the first of its iterations. */
export const isUnderAnalysis = (entries: readonly Entry[]): boolean =>
  ofKind(entries, 'status').some(({ phase, weight, iterations }) => phase === 'Progressing' && (weight > 0 || iterations > 0));
