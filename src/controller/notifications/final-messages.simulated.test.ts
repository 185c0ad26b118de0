import { expect, it, vi } from 'vitest';
import type { SentWrite } from '../../../test/fakes/model/client.ts';
import { ordersTemplate } from '../../../test/fakes/model/journals.ts';
import { APP, aModelCanary, type ModelLab } from '../../../test/fakes/model/lab.ts';
import { labOf } from '../../../test/fakes/model/life.ts';
import { awaitEnd, ordersPlan, stepOf } from '../../../test/fakes/model/released.ts';
import { raw } from '../../../test/fakes/raw.ts';
import type { Delivery } from '../../api/canary-status.ts';
import type { KubeObject } from '../../api/kube-object.ts';
import { ApiError, UnreachableError } from '../../kube/errors.ts';
import type { AlertMessage, SendOutcome } from '../../notifiers/notifier.ts';

// A bound against a life that never ends.
vi.setConfig({ testTimeout: 600_000 });

/** Time without a leader. */
const AWAY_MS = 15_000;
/** Longer than the attempts that each Event has. */
const WITHOUT_EVENTS_MS = 60_000;
const OUTCOMES = { Succeeded: 'Succeeded', Failed: 'Failed', superseded: 'Superseded', cancelled: 'Cancelled' } as const;
type Outcome = keyof typeof OUTCOMES;
const outcomes = Object.keys(OUTCOMES) as Outcome[];

/** Faults at one moment of the end of a release. `isEnd`: the process ends, or another one leads. */
const faults = {
  'is killed before a write leaves': { at: 'write', isEnd: true },
  'is killed before the answer to a write': { at: 'write', isEnd: true },
  'loses its lease at a write': { at: 'write', isEnd: true },
  'is killed before an alert leaves': { at: 'alert', isEnd: true },
  'is killed before the answer to an alert': { at: 'alert', isEnd: true },
  'loses its lease at an alert': { at: 'alert', isEnd: true },
  'meets a conflict at a write': { at: 'write', isEnd: false },
  'gets no answer to a write that is done': { at: 'write', isEnd: false },
  'can write no Event for a minute from a write on': { at: 'write', isEnd: false },
} as const;
type Fault = keyof typeof faults;
const allFaults = Object.keys(faults) as Fault[];
type Kind = (typeof faults)[Fault]['at'];

interface Ended {
  /** Texts that the receiver has taken, by idempotency key. */
  alerts: Record<string, string[]>;
  /** Events of the outcome, by message. */
  events: Record<string, number>;
  left: readonly Delivery[];
  /** Taken, and still listed when the process ended: no one knows that it was taken. */
  unknown: readonly string[];
  /** Keys that were sent while no one led (I9). */
  sentUnled: readonly string[];
  /** Moments of the end, by kind. */
  moments: Record<Kind, number>;
}

class Stage {
  readonly lab: ModelLab;
  readonly #outcome: Outcome;
  readonly #fault: Fault | undefined;
  readonly #nth: number;
  readonly #alerts: Record<string, string[]> = {};
  readonly moments: Record<Kind, number> = { write: 0, alert: 0 };
  #withoutEventsUntilMs = 0;
  #isEnding = false;
  #wasListed = false;
  #leader = 1;
  #isLed = false;
  readonly #sentUnled: string[] = [];
  #unknown: readonly string[] = [];

  constructor(outcome: Outcome, fault?: Fault, nth = 0) {
    this.lab = labOf({ seed: 5, provider: 'istio', delayMs: 2_000, plan: 0, hasService: true }).lab;
    this.#outcome = outcome;
    this.#fault = fault;
    this.#nth = nth;
    const { lab } = this;
    lab.notifier = { send: async (message) => this.#take(message) };
    lab.refuse = (write) => {
      const { ref, subresource, body } = write;
      if (ref.kind === 'Canary' && subresource === 'status' && JSON.stringify(body).includes(`"outcome":"${outcome}"`))
        this.#isEnding = true;
      if (this.#comes('write')) this.#hit(write);
      if (ref.kind === 'Event' && lab.clock.nowMs() < this.#withoutEventsUntilMs)
        throw new ApiError('no Events', { status: 503, reason: 'ServiceUnavailable' });
    };
  }

  #hit({ verb, ref, body, subresource }: SentWrite): void {
    const { server, clock } = this.lab;
    switch (this.#fault) {
      case 'meets a conflict at a write':
        if (server.find(ref)) server.patch(ref, { metadata: { annotations: { 'another-writer': 'was here' } } });
        throw new ApiError('the object has been modified', { status: 409, reason: 'Conflict' });
      case 'gets no answer to a write that is done':
        if (verb === 'create') server.create(body as KubeObject);
        else server.patch(ref, body, subresource);
        throw new UnreachableError('write', new Error('no answer'));
      case 'can write no Event for a minute from a write on':
        this.#withoutEventsUntilMs = clock.nowMs() + WITHOUT_EVENTS_MS;
        return;
      case 'is killed before the answer to a write':
        // Ends after it has left.
        queueMicrotask(() => this.#end());
        return;
      default:
        this.#end();
    }
  }

  get #listed(): readonly Delivery[] {
    return raw(this.lab.canary())?.status?.release?.deliveries ?? [];
  }

  /** One of these is the moment of the fault. The end is over when the status lists none of its messages. */
  #comes(kind: Kind): boolean {
    if (!this.#isEnding || !this.lab.isUp) return false;
    const isListed = this.#listed.some(({ outcome }) => outcome === this.#outcome);
    this.#wasListed ||= isListed;
    if (this.#wasListed && !isListed) return false;
    this.moments[kind] += 1;
    return this.#fault !== undefined && faults[this.#fault].at === kind && this.moments[kind] === this.#nth;
  }

  #take(message: AlertMessage): SendOutcome {
    if (!this.#isLed) this.#sentUnled.push(message.key);
    const isHit = this.#comes('alert');
    const isSent = this.#fault !== 'is killed before an alert leaves' || !isHit;
    if (isSent) this.#alerts[message.key] = [...(this.#alerts[message.key] ?? []), message.text];
    if (isHit) this.#end();
    return { ok: true };
  }

  #end(): void {
    this.#isLed = false;
    if (this.#fault?.startsWith('loses')) this.#leader += 1;
    else this.lab.kill();
    this.lab.clock.setTimer(AWAY_MS, () => {
      this.#unknown = this.#listed.map(({ key }) => key);
      this.#start();
    });
  }

  #start(): void {
    this.#isLed = true;
    const own = this.#leader;
    this.lab.start(() => this.#leader === own);
  }

  async play(): Promise<Ended> {
    const { lab } = this;
    await lab.application();
    lab.server.create(ordersTemplate);
    lab.server.create(aModelCanary(ordersPlan));
    this.#start();
    await awaitEnd(lab, 'Initialized');
    if (this.#outcome === 'Failed') lab.externalMetric = () => ({ value: 10, afterMs: 0 });
    lab.push('2');
    if (!(await lab.passUntil(() => stepOf(lab) === 'analysing', 120_000))) throw new Error(`not analysing: ${stepOf(lab)}`);
    if (this.#outcome === 'superseded') lab.push('3');
    if (this.#outcome === 'cancelled') lab.push('1');
    await lab.passUntil(() => this.#isEnding, 300_000);
    await lab.pass(180_000);
    await lab.passUntil(() => stepOf(lab) === 'resting', 900_000);
    await lab.pass(120_000);
    const events = lab.server.api.store.list('/events').map(([, stored]) => raw(stored));
    const ended = events.filter(({ reason, involvedObject }) => reason === OUTCOMES[this.#outcome] && involvedObject.name === APP);
    const left = this.#listed;
    lab.close();
    return {
      alerts: Object.fromEntries(Object.entries(this.#alerts).map(([key, texts]) => [withoutUid(key), texts])),
      events: Object.fromEntries(ended.map(({ message, count }) => [message, count])),
      left,
      unknown: this.#unknown.map(withoutUid),
      sentUnled: this.#sentUnled,
      moments: this.moments,
    };
  }
}

/** The same in each life. */
const withoutUid = (key: string): string => key.replace(/^[^/]*\//, '');

const calm = new Map<Outcome, Promise<Ended>>();
const calmOf = (outcome: Outcome): Promise<Ended> => {
  const known = calm.get(outcome) ?? new Stage(outcome).play();
  calm.set(outcome, known);
  return known;
};

it.each(outcomes)('I6: the end of a release that is %s is sent once as each alert and Event', async (outcome) => {
  const { alerts, events, left } = await calmOf(outcome);
  for (const [key, texts] of Object.entries(alerts)) expect(texts, key).toHaveLength(1);
  expect(Object.values(events)).toEqual([1]);
  expect(left).toEqual([]);
});

/** A release that a newer one follows, or that is called off, has no alert of its own; it is written as the others are. */
const played = outcomes.flatMap((outcome) => {
  const isWhole = outcome === 'Succeeded' || outcome === 'Failed';
  return allFaults.flatMap((fault) => (isWhole || (faults[fault].isEnd && faults[fault].at === 'write') ? [{ outcome, fault }] : []));
});

it.each(played)(
  'I6, I9: so it is where Serin $fault, at each moment of the end of a release that is $outcome; a message that was taken unnoticed keeps its key',
  async ({ outcome, fault }) => {
    const expected = await calmOf(outcome);
    const { at, isEnd } = faults[fault];
    expect(expected.moments[at]).toBeGreaterThan(0);
    for (let nth = 1; nth <= expected.moments[at]; nth += 1) {
      const found = await new Stage(outcome, fault, nth).play();
      const where = `${nth} of ${expected.moments[at]}`;
      const most = (isSame: (key: string) => boolean): number => (isEnd && found.unknown.some(isSame) ? 2 : 1);
      expect(found.left, where).toEqual([]);
      expect(found.sentUnled, where).toEqual([]);
      expect(Object.keys(found.alerts).toSorted(), where).toEqual(Object.keys(expected.alerts).toSorted());
      for (const [key, texts] of Object.entries(found.alerts)) {
        expect(new Set(texts), where).toEqual(new Set(expected.alerts[key]));
        expect(texts.length, `${where}: ${key}`).toBeLessThanOrEqual(most((one) => one === key));
      }
      expect(Object.keys(found.events), where).toEqual(Object.keys(expected.events));
      const [count = 0] = Object.values(found.events);
      expect(count, where).toBeLessThanOrEqual(most((one) => one.endsWith('/event')));
    }
  },
);
