import type { Canary, Provider } from '../api/canary.ts';
import type { CanaryStatus, Condition } from '../api/canary-status.ts';
import { findings } from '../api/findings.ts';
import type { KubeObject } from '../api/kube-object.ts';
import { refOf } from '../api/kube-object.ts';
import { finalizer } from '../api/names.ts';
import { parseCanary } from '../api/parse-canary.ts';
import type { Facts } from '../engine/facts.ts';
import { intentOf } from '../engine/intent-of.ts';
import { type Snapshot, start, step } from '../engine/machine.ts';
import { projectStatus } from '../engine/project-status.ts';
import type { EngineEvent, Question } from '../engine/questions.ts';
import type { Reason } from '../engine/reasons.ts';
import { ApiError, isConflict } from '../kube/errors.ts';
import { RoutingError, routerFor } from '../routers/index.ts';
import type { Router } from '../routers/router.ts';
import { workloadFor } from '../workloads/index.ts';
import { isForeign, primaryEqualsTarget } from './adoption.ts';
import { answerQuestion } from './answer-questions.ts';
import type { ControllerRoom } from './controller-room.ts';
import { CanaryError } from './errors.ts';
import { gatherFacts } from './gather-facts.ts';
import { HealingBrake } from './healing-brake.ts';
import { reconcile } from './reconcile.ts';
import { SentencePause } from './sentence-pause.ts';
import { saysOnlyAnew, statusPatch } from './status-patch.ts';

const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 60_000;
/** A pass that keeps finding something to do is a fault; it is left for the next wake instead of spinning. */
const MAX_ROUNDS = 50;

type Pending =
  | { type: 'WAKE' }
  | { type: 'FACTS' }
  | { type: 'DELIVERED'; key: string }
  | { type: 'ANSWER'; answer: Extract<EngineEvent, { type: 'ANSWER' }>['answer'] };

/**
 * One Canary's mailbox: everything that happens to it is handled here, one after the other, and nothing here reaches another Canary.
 * Each pass gathers facts, steps the chart, records its intent, and only then asks its questions and reconciles the cluster.
 */
export class CanaryProcess {
  readonly #room: ControllerRoom;
  readonly #key: { namespace: string; name: string };
  readonly #brake = new HealingBrake();
  readonly #wanted = new Map<string, string>();
  readonly #lastReplicas = new Map<string, number>();
  readonly #sentence = new SentencePause();
  #inbox: Pending[] = [];
  #snapshot: Snapshot | undefined;
  /** resourceVersion after our last status write; another one in the view means that somebody else wrote. */
  #questions = new AbortController();
  #running: Promise<void> | undefined;
  #again = false;
  #converged = false;
  #obstacle: string | undefined;
  #targetMissing = false;
  #equalsTarget: boolean | undefined;
  #outdatedUntilMs = 0;
  #cancelWake: (() => void) | undefined;
  #cancelRetry: (() => void) | undefined;
  #cancelTelling: (() => void) | undefined;
  #pauseMs = FIRST_PAUSE_MS;
  #stopped = false;
  /** Of the spec that the open questions were asked under. */
  #seenGeneration: number | undefined;

  constructor(room: ControllerRoom, key: { namespace: string; name: string }) {
    this.#room = room;
    this.#key = key;
  }

  /** Something that this Canary looks at has changed. */
  wake(pending: Pending = { type: 'FACTS' }): void {
    if (this.#stopped) return;
    if (pending.type !== 'FACTS') this.#inbox.push(pending);
    this.#again = true;
    this.#running ??= this.#run().finally(() => {
      this.#running = undefined;
      if (this.#again) this.wake();
    });
  }

  /** Cancels what is under way and waits until nothing of it can write any more. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#again = false;
    this.#cancelWake?.();
    this.#cancelRetry?.();
    this.#cancelTelling?.();
    this.#questions.abort(new Error('stopped'));
    await this.#running;
  }

  async #run(): Promise<void> {
    for (let round = 0; this.#again && !this.#stopped && round < MAX_ROUNDS; round += 1) {
      this.#again = false;
      try {
        if (!this.#room.mayWrite()) return;
        await this.#pass();
        this.#pauseMs = FIRST_PAUSE_MS;
      } catch (error) {
        if (!this.#stopped) await this.#recover(error);
        return;
      }
    }
  }

  async #pass(): Promise<void> {
    const raw = this.#room.view.find({ apiVersion: 'flagger.app/v1beta1', kind: 'Canary', ...this.#key })?.object;
    if (!raw || raw.metadata.deletionTimestamp !== undefined || this.#room.clock.nowMs() < this.#outdatedUntilMs) return;
    const parsed = parseCanary(raw);
    if ('problems' in parsed) {
      const [first] = parsed.problems;
      await this.#refuse(raw, 'InvalidSpec', first ? `${first.path}: ${first.message}` : 'the spec cannot be read');
      return;
    }
    const { canary } = parsed;
    const provider = canary.spec.provider ?? this.#room.config.meshProvider;
    const router = routerFor(provider);
    const refused = 'unsupported' in router ? router.unsupported : router.refuses?.(canary);
    if ('unsupported' in router || refused !== undefined) {
      await this.#refuse(raw, 'ProviderRefused', `spec.provider: ${refused ?? provider}`);
      return;
    }
    const workload = workloadFor(canary.spec.targetRef);
    if ('unsupported' in workload) {
      await this.#refuse(raw, 'InvalidSpec', workload.unsupported);
      return;
    }
    const hopeless = findings(canary, { provider }).filter(({ severity }) => severity === 'error');
    if (hopeless[0]) {
      const more = hopeless.length > 1 ? ` (and ${hopeless.length - 1} more: run "serin validate")` : '';
      await this.#refuse(raw, 'InvalidSpec', `${hopeless[0].path} ${hopeless[0].message}${more}`);
      return;
    }
    if (canary.spec.suspend === true && canary.status?.release === undefined) {
      await this.#refuse(raw, 'Suspended', 'spec.suspend is true: nothing is written until someone sets it to false');
      return;
    }
    const rival = this.#room.olderRival(canary);
    if (rival !== undefined) {
      await this.#refuse(raw, 'TargetTaken', `spec.targetRef: Canary ${rival} releases the same target and is older: remove one of them`);
      return;
    }
    await Promise.all([...workload.watches(canary), ...router.watches(canary)].map((ref) => this.#room.view.ready(ref)));
    if (await this.#finalizerChanged(canary)) return;
    if (isForeign(canary) && this.#equalsTarget === undefined) {
      const { cluster, anchors, config } = this.#room;
      this.#equalsTarget = await primaryEqualsTarget(canary, { cluster, anchors, config, signal: this.#questions.signal });
    }
    await this.#step(canary, provider, router);
  }

  async #step(canary: Canary, provider: Provider, router: Router): Promise<void> {
    const facts = this.#facts(canary, provider, router);
    this.#tellOfTarget(canary, facts);
    const pending = this.#inbox.splice(0);
    const { generation } = canary.metadata;
    // What was asked under the old spec has no answer any more.
    if (this.#seenGeneration !== undefined && this.#seenGeneration !== generation) this.#dropSnapshot();
    this.#seenGeneration = generation;
    const events: EngineEvent[] = pending.map((event) => ({ ...event, facts }));
    if (this.#snapshot === undefined) {
      this.#snapshot = start(canary, facts);
      events.unshift({ type: 'RESUME', facts });
    } else if (events.length === 0) {
      events.push({ type: 'FACTS', facts });
    }
    const questions: Question[] = [];
    for (const event of events) {
      const { next, questions: asked } = step(this.#snapshot, event);
      this.#snapshot = next;
      questions.push(...asked);
    }
    const recorded = await this.#record(canary, facts, questions);
    if (recorded === undefined) return;
    this.#ask(recorded, provider, questions);
    await this.#reconcile(recorded, provider, router);
    this.#room.deliveries.deliver(recorded);
  }

  /** Only `revertOnDeletion` holds a deleted Canary back; whoever switches it off is let go at once. */
  async #finalizerChanged(canary: Canary): Promise<boolean> {
    const { finalizers = [], resourceVersion } = canary.metadata;
    const wants = canary.spec.revertOnDeletion === true;
    if (finalizers.includes(finalizer) === wants) return false;
    const changed = wants ? [...finalizers, finalizer] : finalizers.filter((each) => each !== finalizer);
    const ref = { apiVersion: canary.apiVersion, kind: 'Canary', ...this.#key };
    this.#room.view.learn(
      await this.#room.cluster.patch(ref, { metadata: { finalizers: changed, resourceVersion } }, { signal: this.#questions.signal }),
    );
    this.#again = true;
    return true;
  }

  #facts(canary: Canary, provider: Provider, router: Router): Facts {
    const { view, config, clock } = this.#room;
    const cookieWord = this.#room.cookieWord();
    return gatherFacts({
      canary,
      provider,
      router,
      view,
      config,
      cookieWord,
      equalsTarget: this.#equalsTarget,
      nowMs: clock.nowMs(),
      converged: this.#converged,
      obstacle: this.#obstacle,
    });
  }

  /** Stores the last recorded intent of this pass. Undefined: somebody wrote first, and the watch will bring their version. */
  async #record(canary: Canary, facts: Facts, questions: readonly Question[]): Promise<Canary | undefined> {
    const record = questions.findLast((question) => question.kind === 'record');
    const phase = record?.phase ?? canary.status?.phase ?? '';
    const release = record?.release ?? canary.status?.release;
    if (release === undefined) return canary;
    const stored = this.#stored(canary);
    const wanted = projectStatus(canary, phase, release, facts);
    // A refusal ends with its cause, and a contest is said anew as long as it lasts.
    const kept = (wanted.conditions ?? []).filter(({ type }) => type !== 'Accepted' && type !== 'Contested');
    const conditions = [...kept, ...this.#contested()];
    const status = { ...wanted, conditions: this.#keepTimes(canary, conditions) };
    const patch = statusPatch(stored, status, canary.metadata.resourceVersion, this.#room.clock.nowMs());
    if (patch === undefined || (record === undefined && this.#tellsLater(canary, facts, stored, status))) return { ...canary, status };
    if (record !== undefined) this.#converged = false;
    try {
      const answer = await this.#room.cluster.patch({ apiVersion: canary.apiVersion, kind: 'Canary', ...this.#key }, patch, {
        subresource: 'status',
        signal: this.#questions.signal,
      });
      this.#room.view.learn(answer);
      const reread = parseCanary(answer);
      if ('problems' in reread || reread.canary.status?.release === undefined) {
        await this.#refuse(
          answer,
          'CRDOutdated',
          'status.release was not stored: apply the Canary CRD of this version (charts/serin/crds)',
        );
        // No release is safe without a memory; looking again is all that is left.
        this.#outdatedUntilMs = this.#room.clock.nowMs() + LONGEST_PAUSE_MS;
        this.#retryIn(LONGEST_PAUSE_MS);
        this.#dropSnapshot();
        return undefined;
      }
      if (canary.status?.phase !== phase) this.#room.metrics.phaseChanged(canary, phase);
      return reread.canary;
    } catch (error) {
      this.#dropSnapshot();
      if (isConflict(error)) return undefined;
      throw error;
    }
  }

  /** Readiness moves with each pod: a sentence alone is written when it stands, and at once when only a person can go on from it. */
  #tellsLater(canary: Canary, facts: Facts, stored: object | undefined, status: CanaryStatus): boolean {
    const isUrgent = canary.spec.suspend === true || facts.obstacle !== undefined || facts.target === undefined;
    if (isUrgent || !saysOnlyAnew(stored, status)) return false;
    const waitMs = this.#sentence.waitMs(status.conditions?.[0]?.message ?? '', facts.intervalMs, facts.nowMs);
    this.#cancelTelling?.();
    if (waitMs > 0) this.#cancelTelling = this.#room.clock.setTimer(waitMs, () => this.wake());
    return waitMs > 0;
  }

  #ask(canary: Canary, provider: Provider, questions: readonly Question[]): void {
    const { clock, cluster, anchors, config, view, measure } = this.#room;
    for (const question of questions) {
      switch (question.kind) {
        case 'record':
          break;
        case 'announce':
          this.#room.announce(canary, question.announcement);
          break;
        case 'wakeAt':
          this.#cancelWake?.();
          this.#cancelWake = clock.setTimer(Math.max(0, question.atMs - clock.nowMs()), () => this.wake({ type: 'WAKE' }));
          break;
        default: {
          const { signal } = this.#questions;
          const learn = (object: KubeObject) => view.learn(object);
          answerQuestion(question, { canary, provider, cluster, anchors, config, measure, learn, signal }).then(
            (answer) => {
              if (!signal.aborted) this.wake({ type: 'ANSWER', answer });
            },
            (error: unknown) => {
              if (!signal.aborted) void this.#recover(error);
            },
          );
        }
      }
    }
  }

  async #reconcile(canary: Canary, provider: Provider, router: Router): Promise<void> {
    const { cluster, view, anchors, config, clock } = this.#room;
    const facts = this.#facts(canary, provider, router);
    const intent = intentOf(canary, facts);
    const before = { converged: this.#converged, obstacle: this.#obstacle };
    try {
      const done = await reconcile(
        {
          canary,
          router,
          cluster,
          view,
          anchors,
          config,
          brake: this.#brake,
          wanted: this.#wanted,
          lastReplicas: this.#lastReplicas,
          nowMs: clock.nowMs(),
          signal: this.#questions.signal,
        },
        intent,
        facts,
      );
      this.#obstacle = undefined;
      this.#converged = done.converged;
      if (done.wrote) this.#again = true;
      if (done.retryInMs !== undefined) this.#retryIn(done.retryInMs);
    } catch (error) {
      if (isConflict(error)) {
        // Somebody wrote between our look and our write: the watch brings their version, and wakes us.
        this.#converged = false;
        this.#retryIn(this.#pauseMs * 4);
        return;
      }
      const obstacle = obstacleOf(error);
      if (obstacle === undefined) throw error;
      this.#converged = false;
      this.#blockedBy(canary, obstacle);
      this.#retryIn(this.#backOff());
    }
    if (before.converged !== this.#converged || before.obstacle !== this.#obstacle) this.#again = true;
  }

  /** What keeps us from doing our part: the condition says it as long as it lasts, and an event once. */
  #blockedBy(canary: Canary, obstacle: string): void {
    if (this.#obstacle !== obstacle) this.#room.announceOn(canary, { reason: 'Blocked', type: 'Warning', message: obstacle });
    this.#obstacle = obstacle;
  }

  #tellOfTarget(canary: Canary, { target }: Facts): void {
    if (target === undefined && !this.#targetMissing) {
      const { kind, name } = canary.spec.targetRef;
      const message = `spec.targetRef: ${kind} ${name} does not exist: create it, or correct the name`;
      this.#room.announceOn(canary, { reason: 'TargetMissing', type: 'Warning', message });
    }
    this.#targetMissing = target === undefined;
  }

  /** A Canary that cannot be run: said in its condition and an event, once; what serves goes on serving. */
  async #refuse(raw: KubeObject, reason: Reason, message: string): Promise<void> {
    const { clock, cluster, view } = this.#room;
    const status = (raw.status ?? {}) as { conditions?: Condition[] };
    const condition = { type: 'Accepted', status: 'False', reason, message } as const;
    const others = (status.conditions ?? []).filter(({ type }) => type !== 'Accepted');
    const known = (status.conditions ?? []).find(({ type }) => type === 'Accepted');
    if (known?.reason === reason && known.message === message) return;
    const now = new Date(clock.nowMs()).toISOString().replace(/\.\d+Z$/, 'Z');
    const promoted: Condition = {
      type: 'Promoted',
      status: 'Unknown',
      reason: 'Initializing',
      message,
      lastUpdateTime: now,
      lastTransitionTime: now,
    };
    const conditions = [...(others.length > 0 ? others : [promoted]), { ...condition, lastUpdateTime: now, lastTransitionTime: now }];
    try {
      const patch = { metadata: { resourceVersion: raw.metadata.resourceVersion }, status: { ...statusBasics(status), conditions } };
      view.learn(await cluster.patch(refOf(raw), patch, { subresource: 'status', signal: this.#questions.signal }));
    } catch (error) {
      if (isConflict(error)) return;
      throw error;
    }
    this.#room.announceOn(raw, { reason, type: 'Warning', message });
  }

  async #recover(error: unknown): Promise<void> {
    const pauseMs = this.#backOff();
    this.#dropSnapshot();
    const obstacle = obstacleOf(error);
    if (obstacle !== undefined) this.#obstacle = obstacle;
    this.#room.log.warn({ canary: this.#label, err: error, retryInMs: pauseMs }, 'tick failed');
    this.#retryIn(pauseMs);
  }

  #dropSnapshot(): void {
    this.#snapshot = undefined;
    this.#questions.abort(new Error('superseded'));
    this.#questions = new AbortController();
    this.#inbox = [];
  }

  #backOff(): number {
    const pauseMs = this.#pauseMs;
    this.#pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS);
    return pauseMs;
  }

  #retryIn(ms: number): void {
    this.#cancelRetry?.();
    this.#cancelRetry = this.#room.clock.setTimer(ms, () => this.wake());
  }

  #contested(): Condition[] {
    return this.#brake.contested().map(({ key, field, manager }) => ({
      type: 'Contested',
      status: 'True',
      reason: 'FieldContested',
      message: `${key}: ${field} is changed back by ${manager ?? 'another writer'}; take the field out of it, or set spec.suspend: true to stop Serin`,
    }));
  }

  /** A condition's times move only with what it says. */
  #keepTimes(canary: Canary, conditions: readonly Condition[]): Condition[] {
    const now = new Date(this.#room.clock.nowMs()).toISOString().replace(/\.\d+Z$/, 'Z');
    const before = canary.status?.conditions ?? [];
    return conditions.map((condition) => {
      const old = before.find(({ type }) => type === condition.type);
      const same =
        old !== undefined && old.status === condition.status && old.reason === condition.reason && old.message === condition.message;
      return {
        ...condition,
        lastUpdateTime: same ? (old.lastUpdateTime ?? now) : now,
        lastTransitionTime: old?.status === condition.status ? (old.lastTransitionTime ?? now) : now,
      };
    });
  }

  #stored(canary: Canary): object | undefined {
    const raw = this.#room.view.find({ apiVersion: canary.apiVersion, kind: 'Canary', ...this.#key })?.object;
    return raw?.status as object | undefined;
  }

  get #label(): string {
    return `${this.#key.namespace}/${this.#key.name}`;
  }
}

/** The CRD requires these in any status. */
function statusBasics(status: object): object {
  return { phase: 'Initializing', failedChecks: 0, canaryWeight: 0, iterations: 0, ...status };
}

/** What a person has to remove, in words; undefined for what passes by itself. */
function obstacleOf(error: unknown): string | undefined {
  if (error instanceof CanaryError || error instanceof RoutingError) return error.message;
  const isRefusal = error instanceof ApiError && error.status >= 400 && error.status < 500 && error.status !== 409 && error.status !== 429;
  if (!isRefusal) return undefined;
  const who = error.status === 403 ? ': grant it to the service account of Serin, by a Role or ClusterRole' : '';
  return `the API server refused ${error.message}${who}`;
}
