import type { Agent } from 'node:http';
import {
  afterAll as vitestAfterAll,
  afterEach as vitestAfterEach,
  beforeAll as vitestBeforeAll,
  beforeEach as vitestBeforeEach,
} from 'vitest';
import { sleep as sleepBy } from '../../src/base/clock.ts';
import type { Surroundings } from '../../src/cli/canaries/session.ts';
import { callHttp, type HttpCall } from '../../src/embedded/http-call.ts';
import { type VirtualWorld, virtualWorld } from '../../src/embedded/virtual/virtual-world.ts';
import { realWorld, type World } from '../../src/embedded/world.ts';
import { type Connection, type ConnectOptions, connectionTo } from '../../src/kube/connect.ts';
import { readKubeconfig } from '../../src/kube/kubeconfig.ts';

/** The world that the scenarios of this file play in: one a file. */
let current: World = realWorld;
let virtual: VirtualWorld | undefined;

export function enter(world: VirtualWorld): void {
  current = world;
  virtual = world;
}

/** The machine's own again: files of one worker share this module. */
export function leave(): void {
  current = realWorld;
  virtual = undefined;
}

/** One for each file that has no environment to bring it. */
export const enterVirtual = (seed: number): void => enter(virtualWorld(seed));

export const world = (): World => current;
export const virtualOne = (): VirtualWorld | undefined => virtual;

/** For durations, in milliseconds. */
export const monotonicMs = (): number => current.clock.monotonicMs();
export const nowMs = (): number => current.clock.nowMs();
export const sleep = (ms: number, signal?: AbortSignal): Promise<void> => sleepBy(current.clock, ms, signal);

const shared = new WeakMap<World, Agent>();
/** Agent for requests without their own: it keeps connections, as Node's default does. */
export function sharedAgent(): Agent {
  const agent = shared.get(current) ?? current.network.agent({ keepAlive: true });
  shared.set(current, agent);
  return agent;
}

/** Parts of the world that a command for users needs. */
export const surroundings = (): Pick<Surroundings, 'connect' | 'clock'> =>
  virtual === undefined ? {} : { clock: current.clock, connect: (options = {}) => connectIn(virtual as VirtualWorld, options) };

async function connectIn({ network }: VirtualWorld, options: ConnectOptions): Promise<Connection> {
  const { cluster, userName, namespace } = readKubeconfig(options);
  const { userAgent } = options;
  const known = { namespace, ...(userName === undefined ? {} : { userName }), agent: network.agent() };
  return { ...connectionTo(cluster.server, userAgent === undefined ? {} : { userAgent }), ...known };
}

/** One request; throws without an answer. */
export const fetchText = (url: string, { timeoutMs = 60_000, ...call }: Partial<Pick<HttpCall, 'method' | 'headers' | 'timeoutMs'>> = {}) =>
  callHttp(url, { ...call, agent: sharedAgent(), clock: current.clock, timeoutMs });

/** Virtual time goes on while this is under way; the real one always does. */
export const play = <T>(work: () => T | Promise<T>): Promise<T> =>
  virtual ? virtual.clock.play(async () => work()) : Promise.resolve(work());

/** Waits for what virtual time knows nothing of, as another process. */
export const hold = <T>(work: Promise<T>): Promise<T> => (virtual ? virtual.clock.hold(work) : work);

type Hook = () => unknown;
/** Hooks of scenarios: time goes on in them as in a test. */
export const beforeAll = (hook: Hook, timeoutMs?: number): void => vitestBeforeAll(() => play(async () => void (await hook())), timeoutMs);
export const afterAll = (hook: Hook, timeoutMs?: number): void => vitestAfterAll(() => play(async () => void (await hook())), timeoutMs);
export const beforeEach = (hook: Hook, timeoutMs?: number): void =>
  vitestBeforeEach(() => play(async () => void (await hook())), timeoutMs);
export const afterEach = (hook: Hook, timeoutMs?: number): void => vitestAfterEach(() => play(async () => void (await hook())), timeoutMs);

/** Time goes on in the tests of this block. */
export const playTests = (): void => void vitestBeforeEach(() => virtual?.clock.resume());
