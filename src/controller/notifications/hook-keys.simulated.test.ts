import { expect, it, vi } from 'vitest';
import type { SentWrite } from '../../../test/fakes/model/client.ts';
import { HOOKS, type ReceivedHook } from '../../../test/fakes/model/hook-receiver.ts';
import { ordersTemplate } from '../../../test/fakes/model/journals.ts';
import { aModelCanary, type ModelLab } from '../../../test/fakes/model/lab.ts';
import { labOf } from '../../../test/fakes/model/life.ts';
import { awaitEnd, ordersPlan, stepOf } from '../../../test/fakes/model/released.ts';
import type { KubeObject } from '../../api/kube-object.ts';
import { UnreachableError } from '../../kube/errors.ts';

// A bound against a life that never ends.
vi.setConfig({ testTimeout: 600_000 });

/** A time without a leader, less than an interval. */
const AWAY_MS = 4_000;
/** Called without a record of each call. */
const polled = ['confirm-rollout', 'rollback'];
/** Each call of these is an occasion that the status remembers. */
const acted = ['pre-rollout', 'rollout', 'confirm-traffic-increase', 'confirm-promotion', 'post-rollout'];
const webhooks = [...polled, ...acted, 'event'].map((type) => ({ name: type, type, url: `${HOOKS}/${type}`, timeout: '60s' }));
const refuses = { 'pre-rollout': [0], rollout: [1], 'confirm-promotion': [0] } as Record<string, number[]>;

const faults = {
  'is killed before a write leaves': 'write',
  'is killed before the answer to a write': 'write',
  'loses its lease at a write': 'write',
  'is killed before the answer to a hook': 'hook',
  'is killed before the answer to a hook, and the next clock is five minutes behind': 'hook',
  'is killed before the answer to a hook, and the next clock is five minutes ahead': 'hook',
  'gets no answer to a write that is done': 'write',
} as const;
type Fault = keyof typeof faults;

/** Each third moment is enough for a fault that leaves the same behind as a kill at that moment. */
const isLikeAKill = (fault: Fault): boolean => !fault.startsWith('is killed');

interface Played {
  /** In order. */
  calls: { type: string; key: string; about: string }[];
  /** Index of the call that was under way when Serin ended. */
  underWay: number | undefined;
  moments: Record<'write' | 'hook', number>;
}

/** One release with a hook of each type, through an end of Serin at one moment of it. */
class Stage {
  readonly #lab: ModelLab;
  readonly #fault: Fault | undefined;
  readonly #nth: number;
  readonly #seen: Played = { calls: [], underWay: undefined, moments: { write: 0, hook: 0 } };
  readonly #known = new Map<string, number>();
  #leader = 1;
  #isReleasing = false;

  constructor(fault?: Fault, nth = 0) {
    this.#lab = labOf({ seed: 5, provider: 'istio', delayMs: 2_000, plan: 0, hasService: true }).lab;
    this.#fault = fault;
    this.#nth = nth;
    this.#lab.answerHook = (call) => this.#answer(call);
    this.#lab.refuse = (write) => {
      if (write.ref.kind !== 'Event' && write.ref.kind !== 'Lease' && this.#comes('write')) this.#hit(write);
    };
  }

  #comes(kind: 'write' | 'hook'): boolean {
    if (!this.#isReleasing || !this.#lab.isUp) return false;
    this.#seen.moments[kind] += 1;
    return this.#fault !== undefined && faults[this.#fault] === kind && this.#seen.moments[kind] === this.#nth;
  }

  /** As a receiver that keeps what it has answered to each key. */
  #answer({ path, key = '', payload }: ReceivedHook): number {
    const type = path.slice(1);
    this.#seen.calls.push({ type, key, about: JSON.stringify(payload) });
    const answers = [...this.#known.keys()].filter((one) => one.startsWith(`${type} `));
    const isRefused = type === 'rollback' || refuses[type]?.includes(answers.length);
    const status = this.#known.get(`${type} ${key}`) ?? (isRefused ? 403 : 200);
    this.#known.set(`${type} ${key}`, status);
    if (this.#comes('hook')) {
      this.#seen.underWay = this.#seen.calls.length - 1;
      this.#end();
    }
    return status;
  }

  #hit({ verb, ref, body, subresource }: SentWrite): void {
    const { server } = this.#lab;
    switch (this.#fault) {
      case 'gets no answer to a write that is done':
        if (verb === 'create') server.create(body as KubeObject);
        else server.patch(ref, body, subresource);
        throw new UnreachableError('write', new Error('no answer'));
      case 'is killed before the answer to a write':
        queueMicrotask(() => this.#end());
        return;
      default:
        this.#end();
    }
  }

  #end(): void {
    if (this.#fault?.startsWith('loses')) this.#leader += 1;
    else this.#lab.kill();
    if (this.#fault?.endsWith('behind')) this.#lab.aheadMs = -300_000;
    if (this.#fault?.endsWith('ahead')) this.#lab.aheadMs = 300_000;
    this.#lab.clock.setTimer(AWAY_MS, () => this.#start());
  }

  #start(): void {
    const own = this.#leader;
    this.#lab.start(() => this.#leader === own);
  }

  async play(): Promise<Played> {
    const lab = this.#lab;
    await lab.application();
    lab.server.create(ordersTemplate);
    lab.server.create(aModelCanary({ ...ordersPlan, stepWeight: 50, threshold: 5, webhooks }));
    this.#start();
    await awaitEnd(lab, 'Initialized');
    this.#isReleasing = true;
    lab.push('2');
    await lab.passUntil(() => stepOf(lab) !== 'resting', 120_000);
    await awaitEnd(lab, 'Succeeded');
    await lab.pass(60_000);
    lab.close();
    return this.#seen;
  }
}

const calm = new Stage().play();
const keysOf = ({ calls }: Played, type: string): string[] => calls.flatMap((one) => (one.type === type ? [one.key] : []));

it('E135: each call of a hook in a release has a key, and no other occasion has the same', async () => {
  const { calls } = await calm;
  expect(new Set(calls.map(({ type }) => type))).toEqual(new Set([...polled, ...acted, 'event']));
  expect(calls.filter(({ key }) => key === '')).toEqual([]);
  expect(new Set(calls.map(({ key }) => key)).size).toBe(calls.length);
});

it.each(Object.keys(faults) as Fault[])(
  'E135: so it is where Serin %s, at moments of a release: the same occasion keeps its key, and news are sent once',
  async (fault) => {
    const expected = await calm;
    const most = expected.moments[faults[fault]];
    expect(most).toBeGreaterThan(10);
    for (let nth = 1; nth <= most; nth += isLikeAKill(fault) ? 3 : 1) {
      const found = await new Stage(fault, nth).play();
      const where = `${nth} of ${most}`;
      for (const type of acted) {
        const keys = keysOf(found, type);
        expect(new Set(keys).size, `${where}: occasions of ${type}`).toBe(keysOf(expected, type).length);
        const changes = keys.filter((key, index) => key !== keys[index - 1]);
        expect(changes, `${where}: ${type} returns to none`).toEqual([...new Set(keys)]);
      }
      // A message that the status lists is sent until it is known to be taken.
      const news = keysOf(found, 'event').filter((key) => !key.endsWith('/Succeeded/event-webhook/event'));
      expect(new Set(news).size, `${where}: news`).toBe(news.length);
      const cut = found.underWay === undefined ? undefined : found.calls[found.underWay];
      if (cut && acted.includes(cut.type)) {
        const again = found.calls.slice((found.underWay ?? 0) + 1).find(({ type }) => type === cut.type);
        expect(again?.key, `${where}: ${cut.type} is asked again`).toBe(cut.key);
      }
    }
  },
);
