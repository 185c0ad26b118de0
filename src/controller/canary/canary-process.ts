import type { Canary } from '../../api/canary.ts';
import type { KubeObject } from '../../api/kube-object.ts';
import { isAnalysing } from '../../api/step.ts';
import type { Facts } from '../../engine/facts.ts';
import type { Question } from '../../engine/questions.ts';
import type { Unmoved } from '../../engine/unmoved.ts';
import { BackOff } from '../../kube/back-off.ts';
import { ApiError } from '../../kube/errors.ts';
import type { Priority } from '../../kube/priority.ts';
import { withPriority } from '../../kube/with-priority.ts';
import type { Router } from '../../routers/router.ts';
import type { Admitted } from '../admission/admission.ts';
import type { ControllerDeps } from '../controller-deps.ts';
import { UnmovedDecisionError } from '../errors.ts';
import { JournalKeeper } from '../journal/journal-keeper.ts';
import { notedWrites } from '../journal/noted-writes.ts';
import { Convergence } from '../reconcile/convergence.ts';
import { RIVAL_SILENCE_MS, type Rival } from '../status/ownership.ts';
import { Reported } from '../status/reported.ts';
import { StatusWriter } from '../status/writer.ts';
import { isIdleAsStored, storedPriority } from '../watch/stored-priority.ts';
import { Alarms } from './alarms.ts';
import { CanaryInputs } from './canary-inputs.ts';
import type { CanaryMemory } from './canary-memory.ts';
import { ChartWake } from './chart-wake.ts';
import type { CanaryMessage } from './engine-events.ts';
import { Mailbox } from './mailbox.ts';
import { OfflineBackends } from './offline-backends.ts';
import { OpenQuestions } from './open-questions.ts';
import { sendStoredMessages } from './refused-messages.ts';
import { ReleaseLosses } from './release-losses.ts';
import { RememberedRelease } from './remembered-release.ts';
import { StandingAside } from './standing-aside.ts';

const PAUSE_MS = { from: 500, to: 60_000 };

/**
 * One Canary's mailbox: everything that happens to it is handled here, one after the other, and nothing here reaches another Canary. Each reconcile gathers
 * facts, steps the chart, records the result, and only then starts its questions and changes the cluster.
 */
export class CanaryProcess {
  readonly #deps: ControllerDeps;
  readonly #key: { namespace: string; name: string };
  readonly #mail: Mailbox<CanaryMessage>;
  readonly #questions: OpenQuestions;
  readonly #reported: Reported;
  readonly #convergence: Convergence;
  readonly #status: StatusWriter;
  readonly #alarms: Alarms<'wake' | 'retry' | 'sentence' | 'configs' | 'unchecked' | 'absence' | 'arrival' | 'messages'>;
  readonly #wake: ChartWake;
  readonly #inputs: CanaryInputs;
  readonly #aside: StandingAside;
  readonly #offline: OfflineBackends;
  readonly #releaseLosses: ReleaseLosses;
  readonly #journal: JournalKeeper | undefined;
  readonly #release = new RememberedRelease();
  /** Priority by the stored status: counts until the release is read. */
  #storedPriority: Priority = 'initialization';
  readonly #backOff = new BackOff(PAUSE_MS);
  /** Generation of the spec that the open questions belong to. */
  #seenGeneration: number | undefined;

  /** `memory`: of the same Canary when it was idle before. `onIdle`: from here on the process is not needed until the Canary is woken. */
  constructor(
    shared: ControllerDeps,
    key: { namespace: string; name: string },
    memory: CanaryMemory | undefined,
    onIdle: (memory: CanaryMemory) => void,
  ) {
    this.#journal = shared.config.journalLimit > 0 ? new JournalKeeper(shared, key.namespace, memory?.journals) : undefined;
    const cluster = withPriority(shared.cluster, () => this.#priority);
    const deps = { ...shared, cluster: this.#journal ? notedWrites(cluster, (write) => this.#journal?.wrote(write)) : cluster };
    this.#deps = deps;
    this.#key = key;
    this.#alarms = new Alarms(deps.clock);
    this.#wake = new ChartWake(this.#alarms, deps.clock);
    this.#reported = new Reported(deps);
    this.#convergence = new Convergence(deps, this.#reported, memory?.reconciled);
    this.#status = new StatusWriter(deps, memory?.ownership);
    this.#seenGeneration = memory?.generation;
    this.#inputs = new CanaryInputs(deps, this.#label, this.#convergence, {
      alarms: this.#alarms,
      signal: () => this.#questions.signal,
      wake: () => this.wake(),
      again: () => this.#mail.again(),
    });
    this.#mail = new Mailbox({
      pass: async () => {
        await this.#pass();
        this.#backOff.reset();
        this.#wake.resume();
      },
      mayRun: () => deps.mayWrite(),
      failed: (error) => this.#recover(error),
      ended: () => {
        const left = this.#memory();
        if (left !== undefined) onIdle(left);
      },
    });
    this.#questions = new OpenQuestions(deps, this.#inputs.configs, {
      answered: (answer) => this.wake({ type: 'ANSWER', answer }),
      failed: (error) => this.#recover(error),
      wakeIn: (ms, ring) => this.#wake.in(ms, ring),
      due: () => this.wake({ type: 'WAKE' }),
    });
    this.#aside = new StandingAside(deps);
    this.#offline = new OfflineBackends(deps);
    this.#releaseLosses = new ReleaseLosses(deps, this.#inputs.arrivalWarnings, () => this.wake());
  }

  /** Something that this Canary looks at has changed. */
  wake(message?: CanaryMessage): void {
    this.#mail.wake(message);
  }

  /** Resolves when no reconcile is under way. */
  idle(): Promise<void> {
    return this.#mail.idle();
  }

  /** Cancels what is under way and waits until nothing of it can write any more. */
  async stop(): Promise<void> {
    const stopped = this.#mail.stop();
    this.#alarms.stop();
    this.#inputs.configs.stop();
    this.#deps.podWatches.unfollow(this.#label);
    this.#questions.stop();
    await Promise.all([stopped, this.#journal?.stop()]);
  }

  async #pass(): Promise<void> {
    const raw = this.#deps.view.find({ apiVersion: 'flagger.app/v1beta1', kind: 'Canary', ...this.#key })?.object;
    if (!raw || raw.metadata.deletionTimestamp !== undefined || this.#status.isWaitingForCrd()) return;
    this.#storedPriority = storedPriority(raw);
    const rival = this.#status.rivalOf(raw);
    if (rival) return this.#standAside(raw, rival);
    if (await this.#aside.end(raw, this.#questions.signal)) {
      this.#mail.again();
      return;
    }
    const run = await this.#inputs.read(raw);
    this.#alarms.clear('messages');
    if (run === undefined) return;
    if ('reason' in run) await this.#sendStored(raw);
    else await this.#step(run);
  }

  /** The Canary cannot run: only the messages of its last release go on. */
  async #sendStored(raw: KubeObject): Promise<void> {
    const delivered = this.#mail.messages.filter((one) => one.type === 'DELIVERED');
    const keys = new Set(delivered.map(({ key }) => key));
    const { isRecorded, lapseInMs } = await sendStoredMessages(raw, keys, this.#deps, this.#questions.signal);
    if (isRecorded) this.#mail.handled(delivered);
    if (lapseInMs !== undefined) this.#alarms.set('messages', lapseInMs, () => this.wake());
  }

  /** Two controllers must not run one Canary: reported once, and nothing is written or called as long as the other one goes on. */
  async #standAside(raw: KubeObject, rival: Rival): Promise<void> {
    this.#alarms.stop();
    this.#wake.clear();
    if (rival.kind === 'serin') this.#wake.in(RIVAL_SILENCE_MS, () => this.wake());
    const news = await this.#aside.begin(raw, rival, this.#questions.signal);
    if (news === undefined) return;
    this.#forgetRelease();
    this.#convergence.forget();
    await this.#aside.report(news, rival, this.#questions.signal);
  }

  async #step(run: Admitted): Promise<void> {
    const { canary, provider, router } = run;
    const { generation } = canary.metadata;
    // Questions of the old spec have no answer any more, and the objects in the cluster were made for it.
    if (this.#seenGeneration !== undefined && this.#seenGeneration !== generation) {
      this.#forgetRelease();
      this.#convergence.unsettle();
    }
    // Otherwise each idle Canary would be reconciled twice after a start.
    if (this.#seenGeneration === undefined && isIdleAsStored(canary)) this.#convergence.assumeSettled();
    this.#seenGeneration = generation;
    this.#forgetOvertaken(canary);
    this.#announceStored(canary);
    const facts = this.#inputs.facts(run);
    // Our own clock was set back: times that we recorded are those of another clock now.
    if (this.#release.isAheadOf(facts.nowMs)) this.#forgetRelease();
    this.#alarms.clear('absence');
    const absenceMs = this.#reported.missingTarget(canary, facts);
    if (absenceMs !== undefined) this.#alarms.set('absence', absenceMs, () => this.wake());
    if (facts.adoption && facts.adoption.target !== facts.target?.revision) {
      // The watch and the read have seen different versions of the target: nothing is adopted before they agree.
      this.#retryIn(PAUSE_MS.from);
      return;
    }
    const pending = this.#mail.messages;
    const questions = this.#release.advance(canary, facts, pending, (step, unmoved) => {
      this.#journal?.stepped(step);
      if (unmoved) this.#reportUnmoved(unmoved);
    });
    const recorded = await this.#record(canary, facts, questions);
    if (recorded === undefined) return;
    // Only after the record: if it fails, the next pass needs them, and an accepted alert must not be sent again.
    this.#mail.handled(pending);
    const isWritten = recorded.metadata.resourceVersion !== canary.metadata.resourceVersion;
    // An unwritten status is equal to the remembered one.
    if (isWritten) this.#release.setStored(recorded);
    if (pending.some((one) => one.type === 'ANSWER' && one.answer.kind === 'measure')) this.#questions.endTick(recorded);
    this.#questions.ask(this.#convergence.trafficFields.withoutRefused(recorded), questions);
    // The alarm can be the end of the time of a message that is delivered by now.
    if (this.#release.isAtRest) this.#wake.clear();
    this.#offline.check(recorded, this.#questions.signal);
    this.#releaseLosses.begin(recorded, provider, this.#questions.signal);
    const factsNow = isWritten ? this.#inputs.facts({ ...run, canary: recorded }) : { ...facts, canary: recorded };
    const { signal } = this.#questions;
    try {
      if (!this.#isHeldInPlace(recorded)) await this.#reconcile(factsNow, router);
      await this.#deps.salts.store(recorded, signal);
    } finally {
      // Also if the writes fail: a rollback whose traffic cannot move is the message that must not wait.
      if (!signal.aborted) this.#deps.deliveries.deliver(recorded);
    }
  }

  /** The release goes on with the next event of another meaning: its state and the objects stay unmodified. */
  #reportUnmoved(unmoved: Unmoved): void {
    this.#deps.metrics.decisionUnmoved();
    this.#deps.log.error({ canary: this.#label, err: new UnmovedDecisionError(unmoved) }, 'a decision has no move');
  }

  /**
   * The stored status counts, not the one in memory: a record whose answer was lost can be stored long after the release was read again, and the next record
   * would then take its step back.
   */
  #forgetOvertaken(canary: Canary): void {
    if (this.#release.isOf(canary)) return;
    if (this.#release.isKnown) this.#forgetRelease();
    this.#release.setStored(canary);
  }

  /** A write without an answer was stored: its events are sent now. */
  #announceStored(canary: Canary): void {
    const stored = this.#status.takeUnanswered(canary);
    if (stored === undefined) return;
    this.#deps.metrics.phaseChanged(canary, stored.phase);
    this.#questions.ask(canary, stored.announcements);
  }

  /** The routes can only be rendered from an old spec: those in the cluster stay until traffic has to move. */
  #isHeldInPlace({ status }: Canary): boolean {
    return this.#inputs.spec.fallback?.isRenderable === false && isAnalysing(status?.release);
  }

  /** Stores the last record of this reconcile. `undefined` if it was not stored: the release is read again. */
  async #record(canary: Canary, facts: Facts, questions: readonly Question[]): Promise<Canary | undefined> {
    const warnings = this.#reported.warnings(canary, facts.provider, this.#convergence.trafficFields, this.#inputs.unwatched(canary));
    this.#reported.refusedSpec(canary, facts);
    this.#alarms.clear('sentence');
    const { brake } = this.#convergence;
    const { signal } = this.#questions;
    const willWrite = () => this.#convergence.unsettle();
    const acceptedGeneration = this.#inputs.spec.acceptedGeneration(canary);
    try {
      const written = await this.#status.write(canary, facts, questions, { brake, warnings, acceptedGeneration, willWrite, signal });
      if (written.outcome === 'written') {
        if (written.sentenceDueInMs !== undefined) this.#alarms.set('sentence', written.sentenceDueInMs, () => this.wake());
        return written.canary;
      }
      if (written.outcome === 'outdated') this.#retryIn(written.retryInMs);
    } catch (error) {
      this.#forgetRelease();
      throw error;
    }
    this.#forgetRelease();
    return undefined;
  }

  async #reconcile(facts: Facts, router: Router): Promise<void> {
    const { again, retryInMs } = await this.#convergence.reach(facts.canary, router, facts, this.#questions.signal);
    if (again) this.#mail.again();
    if (retryInMs !== undefined) this.#retryIn(retryInMs);
  }

  /** Undefined while more than that is needed to go on. */
  #memory(): CanaryMemory | undefined {
    const { ended } = this.#release;
    const generation = this.#seenGeneration;
    if (ended === undefined || generation === undefined) return undefined;
    const isUnderWay =
      this.#alarms.isAnySet ||
      !this.#questions.areAnswered ||
      this.#offline.isAsking ||
      this.#releaseLosses.isReading ||
      this.#journal?.isStoring;
    const isClear = this.#reported.isClear && this.#convergence.isSettled && this.#inputs.spec.fallback === undefined;
    const isStored = this.#status.isAnswered && this.#inputs.configs.isRemembered(ended.configs ?? {});
    if (isUnderWay || !isClear || !isStored) return undefined;
    return { ownership: this.#status.ownership, reconciled: this.#convergence.memory, journals: this.#journal?.stored, generation };
  }

  #recover(error: unknown): void {
    // No sooner than the server requires. Half to one and a half of the pause, so that Canaries that failed together do not come back together.
    const askedMs = error instanceof ApiError ? (error.retryAfterMs ?? 0) : 0;
    const pauseMs = Math.max(askedMs, Math.round(this.#backOff.next() * (0.5 + this.#deps.random())));
    this.#forgetRelease();
    this.#convergence.noteFailure(error, this.#key.namespace);
    this.#deps.metrics.tickFailed();
    this.#deps.log.warn({ canary: this.#label, err: error, retryInMs: pauseMs }, 'reconcile failed');
    this.#wake.pause(pauseMs);
    this.#retryIn(pauseMs);
  }

  #forgetRelease(): void {
    this.#release.drop();
    this.#questions.supersede();
  }

  #retryIn(ms: number): void {
    this.#alarms.set('retry', ms, () => this.wake());
  }

  /** Requests of a rollback go first; those of a Canary that is not initialized yet delay no release. */
  get #priority(): Priority {
    const { isRollingBack } = this.#release;
    if (isRollingBack === undefined) return this.#storedPriority;
    if (isRollingBack) return 'rollback';
    return this.#storedPriority === 'initialization' ? 'initialization' : 'release';
  }

  get #label(): string {
    return `${this.#key.namespace}/${this.#key.name}`;
  }
}
