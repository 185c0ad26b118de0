import type { NewBlocker } from '../../src/api/blocker.ts';
import type { Canary, HookType } from '../../src/api/canary.ts';
import type { Verdict } from '../../src/api/canary-status.ts';
import type { PodFailings } from '../../src/api/pod-failing.ts';
import { allToPrimary, type Routes } from '../../src/api/routes.ts';
import type { Verb } from '../../src/api/verb-request.ts';
import type { DesiredState } from '../../src/engine/desired-state.ts';
import { desiredStateOf } from '../../src/engine/desired-state-of.ts';
import type { Facts, SideFacts } from '../../src/engine/facts.ts';
import { handleEvent, openQuestionsOf, phaseOf, releaseOf, type Snapshot, start } from '../../src/engine/machine.ts';
import { projectStatus } from '../../src/engine/project-status.ts';
import type { Answer, EngineEvent, Question } from '../../src/engine/questions.ts';
import type { Compared, ToCompare } from '../../src/judge/compared.ts';

type Body<A extends Answer = Answer> = A extends Answer ? Omit<A, 'id'> : never;

/** Answers of the world, field by field; a test changes the fields that it needs. */
type Counted = Compared extends infer One ? (One extends Compared ? Omit<One, 'metric'> : never) : never;

export interface Behaviour {
  hooks: Partial<Record<HookType, 'passed' | 'refused'>>;
  verdicts: readonly Verdict[];
  /** Current counts of both sides. */
  compare: (asked: ToCompare, nowMs: number) => Counted;
  /** Revisions whose pods never become ready: as canary, as primary. */
  brokenCanary: Set<string>;
  brokenPrimary: Set<string>;
  stalls: boolean;
  /** A blocker, or the text of a blocker without data. */
  blocker?: NewBlocker | string;
  /** All is written, and the provider says this against it. */
  unconfirmed?: string | Omit<NewBlocker, 'code'>;
  /** Another writer has changed the routes back, which waits under the brake. */
  contested?: string | Omit<NewBlocker, 'code'>;
  /** An edit of the spec is refused: `canary` stays what it was. */
  refused?: Facts['refused'];
  /** Writes of the primary's template are refused, also writes that restore it. */
  refusesPromote: boolean;
  /** The same as data. */
  refusal?: NewBlocker;
  /** Message of hooks and the API server in a refusal. Default: a word. */
  words?: string;
  /** Refusals of hooks are calls without an answer. */
  unanswered?: boolean;
  /** Reason for which an undo is refused. Absent if it is carried out. */
  refusesUndo?: string;
}

const uid = 'c-1';

const routeWait = (code: 'RouteUnconfirmed' | 'RouteContested', one: string | Omit<NewBlocker, 'code'>): NewBlocker =>
  typeof one === 'string' ? { code, detail: one } : { code, ...one };
const blockerIn = (one: NewBlocker | string): NewBlocker => (typeof one === 'string' ? { code: 'Other', detail: one } : one);

/** A Canary as a user writes it; `analysis` and `spec` are laid over the plain defaults. */
export function aCanary(analysis: Partial<Canary['spec']['analysis']> = {}, spec: Partial<Canary['spec']> = {}): Canary {
  return {
    apiVersion: 'flagger.app/v1beta1',
    kind: 'Canary',
    metadata: { name: 'podinfo', namespace: 'test', uid, generation: 1, resourceVersion: '1' },
    spec: {
      targetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'podinfo' },
      service: { port: 80 },
      progressDeadlineSeconds: 60,
      ...spec,
      analysis: { interval: '10s', threshold: 3, ...analysis },
    },
  };
}

export function withHooks(...types: HookType[]): Pick<Canary['spec']['analysis'], 'webhooks'> {
  return { webhooks: types.map((type) => ({ name: type, type, url: 'http://gate' })) };
}

/**
 * A cluster and controller in a few fields: answers questions, applies the desired state and moves a clock that only the test turns.
 * `lag`: false holds back every application until `apply()`.
 */
export class World {
  nowMs = 1_000_000;
  intervalMs = 10_000;
  canary: Canary;
  snapshot: Snapshot;
  readonly behaviour: Behaviour = {
    hooks: {},
    verdicts: [],
    compare: () => ({ kind: 'unknown', reason: 'nothing is counted' }),
    brokenCanary: new Set(),
    brokenPrimary: new Set(),
    stalls: false,
    refusesPromote: false,
  };
  supports = { weights: true, mirroring: true, headerMatch: true, sessionAffinity: true };
  targetRevision = 's1:a';
  targetReplicas = 1;
  targetGeneration = 1;
  /** Images by revision, and by the name of the container. */
  readonly images: Record<string, Record<string, string>> = {};
  /** Texts that name commits, by revision. */
  readonly commits: Record<string, string> = {};
  targetRollout: string | undefined;
  /** Checksums of the configs of the target's pods, absent if nothing is tracked. `podsRead` are the checksums that existing pods have read. */
  configs: Record<string, string> | undefined;
  podsRead: Record<string, string> | undefined;
  /** The scalers' limits; a test plays the scalers by setting the replicas. */
  scaler: Facts['scaler'];
  /** Sides that are in the middle of a rollout: they serve, and are not ready before it is over. */
  rolling: { target?: SideFacts['progress'] | undefined; primary?: SideFacts['progress'] | undefined } = {};
  /** Most pods that the target's scaler leaves it, for any requested number. */
  scalerGives = 1_000;
  /** Most pods that become ready. */
  room: { target: number; primary: number } = { target: 1_000, primary: 1_000 };
  /** Moves with every write of a config. */
  configsVersion = '1';
  /** Reason why the target's revision is unknown now. */
  undetermined: string | undefined;
  primaryReplicas = 0;
  /** A receiver of all events exists. */
  globalEvents = false;
  /** Set to make a side lose or regain its pods. */
  targetDown = false;
  primaryDown = false;
  /** Failures of the canary's pods. Absent if pods are not watched. */
  failing: PodFailings | undefined;
  primaryCarries: string | undefined;
  routes: Routes | undefined;
  apexOnPrimary = false;
  auto = true;
  converged = false;
  wakeAtMs: number | undefined;
  /** Every question in order; `trace` has the phase, weight and iterations of each record. */
  readonly asked: Question[] = [];
  readonly trace: string[] = [];
  readonly promoted: string[] = [];
  /** The revision that an undo puts back into the target, and how often one did. */
  promotedBefore = 's1:a';
  undone = 0;
  request: Facts['request'];
  readonly delivered = new Set<string>();
  /** Deliveries listed in any record, by key. */
  readonly listed = new Set<string>();
  deliversAtOnce = true;
  /** Called with every desired state before it is applied. */
  watch: (desired: DesiredState, world: World) => void = () => undefined;
  /** Called with every status that is about to be stored. */
  onRecord: (question: Extract<Question, { kind: 'record' }>, world: World) => void = () => undefined;
  /** Called with every step of the machine. */
  onStep: (step: { before: Snapshot; event: EngineEvent; next: Snapshot; questions: readonly Question[] }) => void = () => undefined;
  /** Called with what hooks answer. */
  onAnswer: (type: HookType, outcome: 'passed' | 'refused') => void = () => undefined;
  /** Answers of the receivers of hooks; those of `behaviour.hooks` if undefined. */
  answers: ((asked: Extract<Question, { kind: 'runHooks' }>) => 'passed' | 'refused') | undefined;
  /** A backend that is slow to count: what waits for counts is answered no more. */
  countsAreLate = false;
  private pending: Question[] = [];

  constructor(canary: Canary = aCanary()) {
    this.canary = canary;
    this.snapshot = start(canary, this.facts());
  }

  facts(): Facts {
    const { behaviour, supports, targetRevision, nowMs, converged } = this;
    const side = (replicas: number, isBroken: boolean, isDown: boolean, room: number, progress?: SideFacts['progress']) => {
      const isUp = replicas > 0 && !isBroken && !isDown;
      const ready = isUp ? Math.min(replicas, room) : 0;
      const state = progress === undefined && ready === replicas ? 'ready' : isBroken && behaviour.stalls ? 'stalled' : 'waiting';
      return { readiness: { state, ready, wanted: replicas } as const, serving: isUp, replicas, ...(progress && { progress }) };
    };
    const carries = this.primaryCarries;
    return {
      nowMs,
      canary: this.canary,
      provider: supports.weights ? 'istio' : 'kubernetes',
      supports,
      intervalMs: this.intervalMs,
      scaleDownDelayMs: 5_000,
      target: {
        ...side(this.targetReplicas, behaviour.brokenCanary.has(targetRevision), this.targetDown, this.room.target, this.rolling.target),
        uid: 't-1',
        generation: this.targetGeneration,
        ...(this.targetRollout === undefined ? {} : { rollout: this.targetRollout }),
        revision: targetRevision,
        ...this.imagesOf(targetRevision),
        ...(this.commits[targetRevision] === undefined ? {} : { commit: this.commits[targetRevision] }),
        ...(this.failing && { failing: this.failing }),
        ...(this.configs && { configs: seen(this.configs, this.configsVersion), pods: this.targetReplicas }),
        ...(this.undetermined && {
          undetermined: { code: 'TargetUnobserved', detail: this.undetermined } as const,
          revision: this.release.revision,
          configs: {},
        }),
      },
      ...(carries === undefined
        ? {}
        : {
            primary: {
              ...side(
                this.primaryReplicas,
                behaviour.brokenPrimary.has(carries),
                this.primaryDown,
                this.room.primary,
                this.rolling.primary,
              ),
              carries,
              ...this.imagesOf(carries),
            },
          }),
      ...(this.scaler ? { scaler: this.scaler } : {}),
      ...(this.routes ? { liveRoutes: this.routes } : {}),
      converged: converged && behaviour.blocker === undefined && (behaviour.unconfirmed ?? behaviour.contested) === undefined,
      ...(converged && behaviour.unconfirmed !== undefined ? { unconfirmed: routeWait('RouteUnconfirmed', behaviour.unconfirmed) } : {}),
      ...(converged && behaviour.contested !== undefined ? { unconfirmed: routeWait('RouteContested', behaviour.contested) } : {}),
      ...(behaviour.refused ? { refused: behaviour.refused } : {}),
      ...(behaviour.blocker === undefined ? {} : { blocker: blockerIn(behaviour.blocker) }),
      ...(this.request ? { request: this.request } : {}),
      globalAlerts: true,
      ...(this.globalEvents && { globalEvents: true }),
      cookieWord: 'word',
    };
  }

  private imagesOf(revision: string): Pick<SideFacts, 'images'> {
    const images = this.images[revision];
    return images ? { images: Object.entries(images).map(([container, image]) => ({ container, image })) } : {};
  }

  get phase(): string {
    return phaseOf(this.snapshot);
  }
  get step(): string {
    return releaseOf(this.snapshot).step;
  }
  get release() {
    return releaseOf(this.snapshot);
  }
  get desired(): DesiredState {
    return desiredStateOf(this.canary, this.facts());
  }

  /** One event through the machine: records first, then keeps the questions for `answer()`. */
  send(event: EngineEvent): void {
    const before = this.snapshot;
    const { next, questions } = handleEvent(before, event);
    this.snapshot = next;
    this.onStep({ before, event, next, questions });
    for (const question of questions) {
      this.asked.push(question);
      this.take(question);
    }
    this.pending = this.pending.filter((one) => openQuestionsOf(next).includes(one.id));
  }

  private take(question: Question): void {
    switch (question.kind) {
      case 'record':
        this.onRecord(question, this);
        this.canary = { ...this.canary, status: projectStatus(this.canary, question.phase, question.release, this.facts()) };
        this.converged = false;
        this.noteTrace();
        for (const one of question.release.deliveries ?? []) this.listed.add(one.key);
        return;
      case 'wakeAt':
        this.wakeAtMs = question.atMs;
        return;
      case 'announce':
        return;
      default:
        this.pending.push(question);
    }
  }

  private noteTrace(): void {
    const { status } = this.canary;
    if (!status) return;
    const { routes } = status.release ?? { routes: allToPrimary };
    const how = routes.kind === 'weighted' ? `${routes.canary}` : routes.kind;
    const line = `${status.phase} ${how}${status.iterations > 0 ? ` #${status.iterations}` : ''}`;
    if (this.trace.at(-1) !== line) this.trace.push(line);
  }

  /** The pods of the canary are watched; none has failed. */
  watchPods(): void {
    this.failing = { crashes: 0, lost: 0, unready: 0, ends: { 'pod-1': 0 } };
  }

  /** Ends its only container, which starts again at `recoverPods`. */
  crashPods(exitCode = 3): void {
    const { crashes = 0, lost = 0 } = this.failing ?? {};
    const last = { pod: 'podinfo-x', container: 'app', exitCode, times: crashes + 1 };
    this.failing = { crashes: crashes + 1, lost, unready: 1, last, ends: { 'pod-1': crashes + 1 } };
    this.targetDown = true;
    this.sendFacts();
  }

  recoverPods(): void {
    if (this.failing) this.failing = { ...this.failing, unready: 0 };
    this.targetDown = false;
    this.sendFacts();
  }

  sendFacts(): void {
    this.send({ type: 'FACTS', facts: this.facts() });
  }

  /** The reconciler: makes the cluster hold what the recorded status wants. */
  apply(): void {
    const { desired } = this;
    this.watch(desired, this);
    if (desired.frozen || this.behaviour.blocker !== undefined) return;
    if (desired.prepared && this.primaryCarries === undefined) {
      this.primaryCarries = this.targetRevision;
      this.primaryReplicas = 1;
    }
    if (desired.apexOnPrimary) this.apexOnPrimary = true;
    if (desired.routes) this.routes = desired.routes;
    if (desired.primary === 'up' && this.primaryReplicas === 0 && this.primaryCarries) this.primaryReplicas = 1;
    if (desired.target === 'zero') this.targetReplicas = 0;
    if (desired.target === 'up' && this.targetReplicas === 0) {
      this.targetReplicas = 1;
      this.podsRead = this.configs;
    }
    this.targetReplicas = Math.min(Math.max(this.targetReplicas, desired.atLeast.target ?? 0), this.scalerGives);
    if (this.primaryCarries) this.primaryReplicas = Math.max(this.primaryReplicas, desired.atLeast.primary ?? 0);
    this.converged = true;
  }

  /** Answers the open question, if there is one. */
  answer(): boolean {
    const at = this.pending.findIndex((one) => !(this.countsAreLate && 'compare' in one));
    const [question] = at === -1 ? [] : this.pending.splice(at, 1);
    if (!question) return false;
    const body = this.reply(question);
    if (body) this.send({ type: 'ANSWER', facts: this.facts(), answer: { ...body, id: question.id } as Answer });
    return true;
  }

  private compared(asked: readonly ToCompare[]): readonly Compared[] {
    return asked.map((one) => ({ metric: one.metric, ...this.behaviour.compare(one, this.nowMs) }) as Compared);
  }

  private reply(question: Question): Body | undefined {
    const { behaviour } = this;
    switch (question.kind) {
      case 'runHooks': {
        const type = question.type;
        const isPassed = (this.answers?.(question) ?? behaviour.hooks[type] ?? (type === 'rollback' ? 'refused' : 'passed')) === 'passed';
        this.onAnswer(type, isPassed ? 'passed' : 'refused');
        if (isPassed) return { kind: 'runHooks', type, outcome: 'passed', webhooks: [type] };
        return {
          kind: 'runHooks',
          type,
          outcome: 'refused',
          webhook: type,
          reason: behaviour.words ?? 'no',
          ...(behaviour.unanswered && { isUnanswered: true }),
        };
      }
      case 'measure':
        return { kind: 'measure', verdicts: behaviour.verdicts, ...(question.compare && { compared: this.compared(question.compare) }) };
      case 'compare':
        return { kind: 'compare', compared: this.compared(question.compare) };
      case 'promote':
        if (behaviour.refusesPromote) {
          const blocker = behaviour.refusal ? { blocker: behaviour.refusal } : {};
          return { kind: 'promote', outcome: 'refused', reason: behaviour.words ?? 'forbidden', ...blocker };
        }
        if (question.revision !== this.targetRevision) return { kind: 'promote', outcome: 'mismatch' };
        this.promoted.push(question.revision);
        this.primaryCarries = question.revision;
        return { kind: 'promote', outcome: 'written' };
      case 'undo':
        if (behaviour.refusesUndo !== undefined) return { kind: 'undo', outcome: 'refused', reason: behaviour.refusesUndo };
        if (question.revision === this.targetRevision) {
          this.targetRevision = this.promotedBefore;
          this.undone += 1;
        }
        return { kind: 'undo', outcome: 'written' };
      case 'restart':
        return { kind: 'restart', outcome: 'written' };
      case 'restorePrimary':
        if (behaviour.refusesPromote) return { kind: 'restorePrimary', outcome: 'refused', reason: behaviour.words ?? 'forbidden' };
        this.primaryCarries = question.revision;
        return { kind: 'restorePrimary', outcome: 'written' };
      default:
        return undefined;
    }
  }

  deliver(): boolean {
    const next = this.release.deliveries?.[0];
    if (!next || this.canary.status?.release?.deliveries?.some((one) => one.key === next.key) !== true) return false;
    this.delivered.add(next.key);
    this.send({ type: 'DELIVERED', facts: this.facts(), key: next.key });
    return true;
  }

  /** Applies, answers and delivers until the machine has nothing to do at this moment. */
  settle(): void {
    for (let round = 0; round < 200; round += 1) {
      const before = this.asked.length;
      if (this.auto && !this.converged) this.apply();
      const isAnswered = this.answer();
      const isDelivered = this.deliversAtOnce && this.deliver();
      this.sendFacts();
      if (!isAnswered && !isDelivered && this.asked.length === before && (this.converged || !this.auto || this.isStuck())) return;
    }
    throw new Error(`the world does not settle: ${this.phase}.${this.step}`);
  }

  private isStuck(): boolean {
    return this.behaviour.blocker !== undefined || this.desired.frozen;
  }

  begin(): this {
    this.send({ type: 'RESUME', facts: this.facts() });
    this.settle();
    return this;
  }

  /** Turns the clock to the next wake, or by `ms`, and lets everything happen. */
  tick(ms?: number): void {
    this.nowMs = ms === undefined ? Math.max(this.nowMs, this.wakeAtMs ?? this.nowMs + 10_000) : this.nowMs + ms;
    this.send({ type: 'WAKE', facts: this.facts() });
    this.settle();
  }

  tickUntil(isDone: (world: World) => boolean, most = 100): void {
    for (let ticks = 0; ticks < most; ticks += 1) {
      if (isDone(this)) return;
      this.tick();
    }
    throw new Error(`not reached from ${this.phase}.${this.step}: ${this.trace.join(', ')}`);
  }

  /** The controller dies; another starts from the status in the cluster. */
  crash(): void {
    this.snapshot = start(this.canary, this.facts());
    this.pending = [];
    this.wakeAtMs = undefined;
    this.send({ type: 'RESUME', facts: this.facts() });
  }

  /** A user makes a request; `id` distinguishes one from another. */
  ask(verb: Verb, id: string, by = 'ann'): void {
    this.request = { verb, id, by, atMs: this.nowMs };
    this.settle();
  }

  push(revision: string): void {
    this.targetRevision = revision;
    this.settle();
  }

  pushUntil(revision: string, isDone: (world: World) => boolean, most?: number): void {
    this.push(revision);
    this.tickUntil(isDone, most);
  }
}

const seen = (configs: Record<string, string>, resourceVersion: string) =>
  Object.fromEntries(Object.entries(configs).map(([key, checksum]) => [key, { uid: 'u', resourceVersion, checksum }]));

/** A World whose bootstrap is done: `s1:a` is promoted, the target is at zero. */
export function initialized(canary: Canary = aCanary(), prepare: (world: World) => void = () => undefined): World {
  const world = new World(canary);
  prepare(world);
  world.begin();
  world.tickUntil((one) => one.phase === 'Initialized');
  world.settle();
  world.trace.length = 0;
  return world;
}
