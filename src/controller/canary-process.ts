import type { Canary, Provider } from '../api/canary.ts';
import type { KubeObject } from '../api/kube-object.ts';
import { resumeAnnotation } from '../api/names.ts';
import { parseStatus } from '../api/parse-status.ts';
import type { Adoption, Facts } from '../engine/facts.ts';
import { intentOf } from '../engine/intent-of.ts';
import { type Snapshot, start, step } from '../engine/machine.ts';
import type { EngineEvent, Question } from '../engine/questions.ts';
import { isConflict } from '../kube/errors.ts';
import type { Router } from '../routers/router.ts';
import { AcceptedSpec } from './accepted-spec.ts';
import { admit, refuse } from './admission.ts';
import { isForeign, lookAtAdoption } from './adoption.ts';
import { Alarms } from './alarms.ts';
import { answerQuestion } from './answer-questions.ts';
import { ConfigLook } from './config-look.ts';
import type { ControllerRoom } from './controller-room.ts';
import { keepFinalizer } from './finalizer.ts';
import { gatherFacts } from './gather-facts.ts';
import { HealingBrake } from './healing-brake.ts';
import { Marks } from './marks.ts';
import { obstacleOf } from './obstacle.ts';
import { OfflineLook } from './offline-look.ts';
import { reconcile } from './reconcile.ts';
import type { ReconcileContext } from './reconcile-context.ts';
import { type Fallback, fallbackOf } from './refused-edit.ts';
import { scalerRefs } from './scaling.ts';
import { SentencePause } from './sentence-pause.ts';
import { type StandingWarning, warningsOf } from './standing-warnings.ts';
import { draftStatus } from './status-draft.ts';
import { StatusOwnership } from './status-ownership.ts';

const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 60_000;
/** Between two tries under an obstacle: whoever removes it is not always heard, and must not wait for long. */
const LONGEST_BLOCKED_MS = 15_000;
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
  #brake = new HealingBrake();
  readonly #accepted = new AcceptedSpec();
  readonly #marks = new Marks();
  readonly #wanted = new Map<string, string>();
  readonly #answers: ReconcileContext['answers'] = new Map();
  readonly #lastReplicas = new Map<string, number>();
  readonly #sentence = new SentencePause();
  readonly #alarms: Alarms<'wake' | 'retry' | 'tell' | 'look' | 'unchecked'>;
  readonly #configs: ConfigLook;
  readonly #offline: OfflineLook;
  #inbox: Pending[] = [];
  #snapshot: Snapshot | undefined;
  #questions = new AbortController();
  #running: Promise<void> | undefined;
  #again = false;
  #converged = false;
  #unconfirmed: string | undefined;
  #refused: string | undefined;
  #edit: string | undefined;
  #obstacle: string | undefined;
  #fallback: Fallback | undefined;
  #targetMissing = false;
  #routeDoubts: ReadonlySet<string> = new Set();
  #warnings: readonly StandingWarning[] = [];
  #adoption: Adoption | undefined;
  readonly #ownership = new StatusOwnership();
  #isAside = false;
  #outdatedUntilMs = 0;
  #outdatedPauseMs = 0;
  #pauseMs = FIRST_PAUSE_MS;
  /** A pass that ends at an obstacle is no failed one: its pauses grow on their own, until it is gone. */
  #blockedPauseMs = FIRST_PAUSE_MS;
  #stopped = false;
  /** Of the tick under way, by the monotonic clock. */
  #tickBeganMs: number | undefined;
  /** Of the spec that the open questions were asked under. */
  #seenGeneration: number | undefined;

  constructor(room: ControllerRoom, key: { namespace: string; name: string }) {
    this.#room = room;
    this.#key = key;
    this.#alarms = new Alarms(room.clock);
    this.#configs = new ConfigLook(room, this.#label);
    this.#offline = new OfflineLook(room);
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
    this.#alarms.stop();
    this.#configs.stop();
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
    if (this.#ownership.isContested(raw)) return this.#standAside(raw);
    this.#isAside = false;
    const admitted = admit(raw, this.#room);
    this.#fallback = 'reason' in admitted ? await fallbackOf(raw, admitted, this.#fallback, this.#room, this.#questions.signal) : undefined;
    const runnable = this.#fallback ?? admitted;
    if ('reason' in runnable) {
      await refuse(raw, runnable, this.#room, this.#questions.signal);
      return;
    }
    const { canary, provider, router, workload } = runnable;
    this.#lookAtRefusal(canary, raw);
    const watched = [...workload.watches(canary), ...router.watches(canary), ...scalerRefs(canary)];
    await Promise.all(watched.map((ref) => this.#room.view.ready(ref)));
    if (this.#fallback === undefined && (await keepFinalizer(canary, this.#room, this.#questions.signal))) {
      this.#again = true;
      return;
    }
    const lookAgainMs = await this.#configs.look(canary, workload, this.#questions.signal);
    this.#alarms.clear('look');
    if (lookAgainMs !== undefined) this.#alarms.set('look', lookAgainMs, () => this.wake());
    // Another controller's Canary is not taken over before it can be told what its target is.
    const isTakenOver = isForeign(canary, this.#room.view);
    if (isTakenOver && lookAgainMs !== undefined) return;
    const { signal } = this.#questions;
    // Anew until it is recorded: whatever is pushed meanwhile must not be taken for what the primary holds.
    this.#adoption = isTakenOver ? await lookAtAdoption(canary, { ...this.#room, signal }) : undefined;
    await this.#step(canary, provider, router);
  }

  /** What was accepted before is not known: the bare spec's objects are looked at, and the analysis has an end. */
  #lookAtRefusal(canary: Canary, raw: KubeObject): void {
    const { uncheckedUntilMs } = this.#fallback?.refused ?? {};
    this.#alarms.clear('unchecked');
    if (uncheckedUntilMs === undefined) return;
    this.#room.lookAfter(canary, raw);
    const leftMs = uncheckedUntilMs - this.#room.clock.nowMs();
    if (leftMs > 0) this.#alarms.set('unchecked', leftMs, () => this.wake());
  }

  /** Two controllers must not run one Canary: it is said once, and nothing is written or asked from here on. */
  async #standAside(raw: KubeObject): Promise<void> {
    if (this.#isAside) return;
    this.#isAside = true;
    this.#dropSnapshot();
    this.#alarms.stop();
    this.#brake = new HealingBrake();
    this.#wanted.clear();
    this.#answers.clear();
    this.#unsettle();
    this.#room.deliveries.stop(raw.metadata.uid);
    const message = `another controller writes this status, so Serin leaves the Canary to it: stop the other one and then annotate the Canary ${resumeAnnotation} with a new value, or restart Serin`;
    this.#room.log.warn({ canary: this.#label }, 'left to another controller, which writes its status');
    await refuse(raw, { reason: 'ForeignController', message }, this.#room, this.#questions.signal);
  }

  async #step(canary: Canary, provider: Provider, router: Router): Promise<void> {
    const { generation } = canary.metadata;
    // What was asked under the old spec has no answer any more, and what the cluster holds was made for that one.
    if (this.#seenGeneration !== undefined && this.#seenGeneration !== generation) {
      this.#dropSnapshot();
      this.#unsettle();
    }
    this.#seenGeneration = generation;
    const facts = this.#facts(canary, provider, router);
    this.#tellOfTarget(canary, facts);
    if (facts.adoption && facts.adoption.target !== facts.target?.revision) {
      // The watch and the read have seen different versions of the target: nothing is adopted before they agree.
      this.#retryIn(FIRST_PAUSE_MS);
      return;
    }
    const pending = this.#inbox.splice(0);
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
    if (pending.some((one) => one.type === 'ANSWER' && one.answer.kind === 'measure')) this.#endTick(recorded);
    this.#ask(recorded, provider, questions);
    this.#offline.look(recorded, this.#questions.signal);
    if (!this.#isHeldInPlace(recorded)) await this.#reconcile(recorded, provider, router);
    this.#room.deliveries.deliver(recorded);
  }

  #endTick(canary: Canary): void {
    if (this.#tickBeganMs !== undefined) this.#room.metrics.tickEnded(canary, this.#room.clock.monotonicMs() - this.#tickBeganMs);
    this.#tickBeganMs = undefined;
  }

  /** Only words of long ago are left to say the routes in: those in the cluster stay until traffic has to move. */
  #isHeldInPlace({ status }: Canary): boolean {
    return this.#fallback?.isWorded === false && status?.release?.step === 'analysing';
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
      globalAlerts: this.#room.globalAlerts,
      cookieWord,
      adoption: this.#adoption,
      nowMs: clock.nowMs(),
      converged: this.#converged,
      unconfirmed: this.#unconfirmed,
      refused: this.#fallback?.refused,
      obstacle: this.#obstacle,
      look: this.#configs.latest,
    });
  }

  /** Stores the last recorded intent of this pass. Undefined: somebody wrote first, and the watch will bring their version. */
  async #record(canary: Canary, facts: Facts, questions: readonly Question[]): Promise<Canary | undefined> {
    const record = questions.findLast((question) => question.kind === 'record');
    const warnings = this.#tellWarnings(canary, facts.provider);
    this.#tellEdit(canary, facts);
    // Before the write: the watch can bring what came of it sooner than the answer.
    const stored = this.#stored(canary);
    const draft = draftStatus(canary, facts, record, {
      stored,
      brake: this.#brake,
      sentence: this.#sentence,
      warnings,
    });
    if (draft === undefined) return canary;
    this.#alarms.clear('tell');
    if (draft.tellInMs !== undefined) this.#alarms.set('tell', draft.tellInMs, () => this.wake());
    if (draft.patch === undefined) return { ...canary, status: draft.status };
    // Before the answer: a write whose answer is lost may have been stored all the same.
    if (record !== undefined) this.#unsettle();
    const { patch } = draft;
    const write = (dryRun: boolean): Promise<KubeObject> =>
      this.#room.cluster.patch({ apiVersion: canary.apiVersion, kind: 'Canary', ...this.#key }, patch, {
        subresource: 'status',
        signal: this.#questions.signal,
        dryRun,
      });
    try {
      // Where nothing of ours is stored yet, perhaps nothing can be: then the phase that stands must not change either.
      const isFirst = isForeign(canary, this.#room.view);
      let answer = await write(isFirst);
      if (isFirst && answer.status?.release !== undefined) answer = await write(false);
      const status = parseStatus(answer.status);
      if (status?.release === undefined) {
        await this.#waitForCrd({ ...answer, status: { ...answer.status, ...stored, release: undefined } });
        return undefined;
      }
      this.#room.view.learn(answer);
      this.#ownership.learn(answer);
      this.#outdatedPauseMs = 0;
      if (canary.status?.phase !== draft.phase) this.#room.metrics.phaseChanged(canary, draft.phase);
      const { resourceVersion = '' } = answer.metadata;
      return { ...canary, metadata: { ...canary.metadata, resourceVersion }, status };
    } catch (error) {
      this.#dropSnapshot();
      if (isConflict(error)) return undefined;
      throw error;
    }
  }

  /** No release is safe without a memory; looking again is all that is left. */
  async #waitForCrd(answer: KubeObject): Promise<void> {
    const message = 'status.release was not stored: apply the Canary CRD of this version (serin crds apply)';
    await refuse(answer, { reason: 'CRDOutdated', message }, this.#room, this.#questions.signal);
    this.#outdatedPauseMs = Math.min(this.#outdatedPauseMs * 2 || FIRST_PAUSE_MS, LONGEST_PAUSE_MS);
    this.#outdatedUntilMs = this.#room.clock.nowMs() + this.#outdatedPauseMs;
    this.#retryIn(this.#outdatedPauseMs);
    this.#dropSnapshot();
  }

  #ask(canary: Canary, provider: Provider, questions: readonly Question[]): void {
    const { clock, cluster, anchors, config, view, measure, secret, findWay } = this.#room;
    for (const question of questions) {
      switch (question.kind) {
        case 'record':
          break;
        case 'announce':
          this.#room.announce(canary, question.announcement);
          break;
        case 'wakeAt':
          this.#alarms.set('wake', question.atMs - clock.nowMs(), () => {
            this.#tickBeganMs = clock.monotonicMs();
            this.#room.metrics.tickBegan(clock.nowMs() - question.atMs);
            this.wake({ type: 'WAKE' });
          });
          break;
        default: {
          const { signal } = this.#questions;
          const learn = (object: KubeObject) => view.learn(object);
          const configs = this.#configs.learner;
          answerQuestion(question, { canary, provider, cluster, anchors, config, configs, measure, secret, findWay, learn, signal }).then(
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
    const before = { converged: this.#converged, unconfirmed: this.#unconfirmed, obstacle: this.#obstacle };
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
          accepted: this.#accepted,
          marks: this.#marks,
          wanted: this.#wanted,
          answers: this.#answers,
          lastReplicas: this.#lastReplicas,
          nowMs: clock.nowMs(),
          signal: this.#questions.signal,
        },
        intent,
        facts,
      );
      this.#obstacle = undefined;
      this.#blockedPauseMs = FIRST_PAUSE_MS;
      this.#converged = done.converged;
      this.#unconfirmed = done.unconfirmed;
      this.#tellRefusal(canary, done.refused);
      if (done.wrote) this.#again = true;
      if (done.retryInMs !== undefined) this.#retryIn(done.retryInMs);
      this.#tellOfRoutes(canary, router);
    } catch (error) {
      if (isConflict(error)) {
        // Somebody wrote between our look and our write: the watch brings their version, and wakes us.
        this.#unsettle();
        this.#retryIn(this.#pauseMs * 4);
        return;
      }
      const obstacle = obstacleOf(error);
      if (obstacle === undefined) throw error;
      this.#unsettle();
      this.#blockedBy(canary, obstacle);
      this.#retryIn(this.#blockedPauseMs);
      this.#blockedPauseMs = Math.min(this.#blockedPauseMs * 2, LONGEST_BLOCKED_MS);
    }
    if (before.converged !== this.#converged || before.obstacle !== this.#obstacle || before.unconfirmed !== this.#unconfirmed)
      this.#again = true;
  }

  /** What the cluster holds is not known to be what is wanted. */
  #unsettle(): void {
    this.#converged = false;
    this.#unconfirmed = undefined;
  }

  /** What keeps us from doing our part: the condition says it as long as it lasts, and an event once. */
  #blockedBy(canary: Canary, obstacle: string): void {
    if (this.#obstacle !== obstacle) this.#room.announceOn(canary, { reason: 'Blocked', type: 'Warning', message: obstacle });
    this.#obstacle = obstacle;
  }

  /** An edit that cannot be routed is told like an obstacle, though the release goes on without it. */
  #tellRefusal(canary: Canary, refused: string | undefined): void {
    if (refused !== undefined && refused !== this.#refused)
      this.#room.announceOn(canary, { reason: 'Blocked', type: 'Warning', message: refused });
    this.#refused = refused;
  }

  /** What goes on all the same, and a person has to judge: a condition as long as it holds, and an event once. */
  #tellWarnings(canary: Canary, provider: Provider): readonly StandingWarning[] {
    const warnings = warningsOf(canary, provider, this.#room.view);
    const stored = canary.status?.conditions ?? [];
    for (const { type, message } of warnings) {
      const isKnown = [...stored, ...this.#warnings].some((one) => one.type === type && one.message === message);
      if (!isKnown) this.#room.announceOn(canary, { reason: type, type: 'Warning', message });
    }
    this.#warnings = warnings;
    return warnings;
  }

  /** Said on the route, where whoever wonders about it looks; again only after it was gone. */
  #tellOfRoutes(canary: Canary, router: Router): void {
    const { view, announceOn } = this.#room;
    const doubts =
      router.doubts?.(canary, {
        find: (ref) => view.find(ref)?.object,
        all: (kind) => view.all(kind).flatMap(({ object }) => (object.metadata.namespace === kind.namespace ? object : [])),
      }) ?? [];
    for (const { on, message } of doubts)
      if (!this.#routeDoubts.has(message)) announceOn(on, { reason: 'RouteInDoubt', type: 'Warning', message });
    this.#routeDoubts = new Set(doubts.map(({ message }) => message));
  }

  /** Once: the condition says it as long as it lasts. */
  #tellEdit(canary: Canary, { refused }: Facts): void {
    if (refused === undefined) return;
    const { reason, message } = refused;
    const isKnown = canary.status?.conditions?.some((one) => one.type === 'Accepted' && one.reason === reason && one.message === message);
    if (isKnown !== true && this.#edit !== message) this.#room.announceOn(canary, { reason, type: 'Warning', message });
    this.#edit = message;
  }

  #tellOfTarget(canary: Canary, { target }: Facts): void {
    if (target === undefined && !this.#targetMissing) {
      const { kind, name } = canary.spec.targetRef;
      const message = `spec.targetRef: ${kind} ${name} does not exist: create it, or correct the name`;
      this.#room.announceOn(canary, { reason: 'TargetMissing', type: 'Warning', message });
    }
    this.#targetMissing = target === undefined;
  }

  async #recover(error: unknown): Promise<void> {
    const pauseMs = this.#backOff();
    this.#dropSnapshot();
    const obstacle = obstacleOf(error);
    if (obstacle !== undefined) this.#obstacle = obstacle;
    this.#room.metrics.tickFailed();
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
    this.#alarms.set('retry', ms, () => this.wake());
  }

  #stored(canary: Canary): object | undefined {
    const raw = this.#room.view.find({ apiVersion: canary.apiVersion, kind: 'Canary', ...this.#key })?.object;
    return raw?.status as object | undefined;
  }

  get #label(): string {
    return `${this.#key.namespace}/${this.#key.name}`;
  }
}
