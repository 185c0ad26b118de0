import type { Counts, PodCounts, Window } from '../../src/judge/window.ts';
import type { Cell, Strategy } from './cells.ts';
import type { Draws } from './draws.ts';

export const WINDOW_MS = 60_000;
/** Minutes of the primary before the release, for windows of a minute and for shorter windows. */
export const HISTORY = 180;
const SHORT_HISTORY = 180;

const PODS = { canary: 2, primary: 10 };
const CLUSTER = 3;
const USERS = { failuresPerMinute: 4, minutes: 5 };
const CLIENTS = { failuresPerMinute: 60, minutes: 1 / 3 };
/** Failures a minute of the user who never leaves. */
const LOYAL = 5;

type Side = 'canary' | 'primary';
const noBurst = { minute: Number.NaN, factor: 1 };

/** A release of a cell, window by window. */
export interface Release {
  /** Requests to the primary before the release. */
  history: Counts[];
  /** The next window; undefined when its scrape was lost. */
  next(): Window | undefined;
}

/** Requests a second that reach both sides in a minute of the release. */
export function split(strategy: Strategy, rps: number, minute: number): { canary: number; primary: number } {
  const weighted = (share: number) => ({ canary: rps * share, primary: rps * (1 - share) });
  switch (strategy) {
    case 'linear':
      return weighted(Math.min(0.5, 0.05 * (minute + 1)));
    case 'bigSteps':
      return weighted(minute < 5 ? 0.2 : 0.5);
    case 'ab':
      return weighted(0.1);
    case 'blueGreen':
      return { canary: Math.min(rps, 10), primary: rps };
    case 'mirror':
      return { canary: rps, primary: rps };
    default:
      return strategy satisfies never;
  }
}

/** Begins a release: what is drawn once for it, and the state that lasts from minute to minute. */
export function beginRelease(cell: Cell, draws: Draws): Release {
  const { kind, rps, base, effect, strategy, windowSeconds = 60 } = cell;
  const minutes = windowSeconds / 60;
  const past = (windowSeconds === 60 ? HISTORY : SHORT_HISTORY) / minutes;
  const phase = draws.uniform();
  const outageAt = Math.floor(draws.uniform() * 60);
  const podRates = (count: number) => Array.from({ length: count }, () => Math.exp(0.294 * draws.normal() - 0.0431));
  const rates = { canary: podRates(PODS.canary), primary: podRates(PODS.primary) };
  const sessions = { canary: { active: 0, usual: 0 }, primary: { active: 0, usual: 0 } };
  const hasPods = kind === 'pods' || kind === 'podsUnseen';
  const hasUsers = kind === 'users' || kind === 'usersUnlearned' || kind === 'lateUsers' || kind === 'clients';
  const session = kind === 'clients' ? CLIENTS : USERS;
  const bursts = { canary: noBurst, primary: noBurst };
  let now = 0;

  const rateAt = (at: number): number => {
    if (kind === 'drift') return base * (1 + 0.8 * Math.sin(2 * Math.PI * (at / 90 + phase)));
    if (kind === 'outage' && at >= outageAt && at < outageAt + 5) return Math.min(0.5, base * 20);
    return base;
  };

  const side = (name: Side, perSecond: number, rate: number): Counts => {
    const requests = draws.poisson(perSecond * windowSeconds);
    const expected = hasUsers ? perSecond * windowSeconds : requests;
    return { requests, failures: Math.min(requests, failuresOf(name, expected, Math.min(1, rate))) };
  };

  /** Users in the middle of a session who come with more traffic; late ones only begin theirs then. */
  const moved = (name: Side, meanPerMinute: number): number => {
    const before = sessions[name].usual;
    const usual = meanPerMinute / session.failuresPerMinute;
    sessions[name].usual = Math.max(before, usual);
    return kind === 'lateUsers' && name === 'canary' ? 0 : Math.max(0, usual - before);
  };

  /** The burst of the minute: windows within one minute share it. */
  const burstOf = (name: Side): number => {
    const minute = Math.floor(now * minutes);
    if (bursts[name].minute !== minute) bursts[name] = { minute, factor: draws.gamma(4) / 4 };
    return bursts[name].factor;
  };

  const failuresOf = (name: Side, requests: number, rate: number): number => {
    const mean = requests * rate;
    if (kind === 'retries') return draws.clusters(draws.poisson(mean / CLUSTER), CLUSTER);
    if (kind === 'bursts') return draws.poisson(mean * burstOf(name));
    if (kind === 'loyalUser' && name === 'canary') return draws.poisson(mean) + draws.poisson(LOYAL * minutes);
    if (!hasUsers) return draws.poisson(mean);
    sessions[name].active =
      draws.staying(sessions[name].active, 1 - minutes / session.minutes) +
      draws.poisson(mean / session.failuresPerMinute / session.minutes + moved(name, mean / minutes));
    return draws.poisson(sessions[name].active * session.failuresPerMinute * minutes);
  };

  const byPod = (name: Side, perSecond: number, rate: number): PodCounts[] =>
    rates[name].map((factor, index) => ({ name: `${name}-${index}`, ...side(name, perSecond / rates[name].length, rate * factor) }));

  const asScraped = (counts: Counts): Counts => (kind === 'scrapes' ? extrapolated(counts, draws) : counts);

  const windowAt = (index: number): Window => {
    now = index;
    const minute = index * minutes;
    const { canary, primary } = split(strategy, rps, Math.floor(minute));
    const rate = rateAt(minute);
    const at = { fromMs: index * windowSeconds * 1000, toMs: (index + 1) * windowSeconds * 1000 };
    if (hasPods) {
      const pods = { canary: byPod('canary', canary, rate * effect), primary: byPod('primary', primary, rate) };
      return { ...at, canary: total(pods.canary), primary: total(pods.primary), ...(kind === 'pods' ? { pods } : {}) };
    }
    return { ...at, canary: asScraped(side('canary', canary, rate * effect)), primary: asScraped(side('primary', primary, rate)) };
  };

  const primaryAt = (index: number): Counts => {
    now = index;
    return hasPods ? total(byPod('primary', rps, base)) : asScraped(side('primary', rps, rateAt(index * minutes)));
  };

  const history = Array.from({ length: kind === 'usersUnlearned' ? 0 : past }, (_, index) => primaryAt(index - past));
  let next = 0;
  return {
    history,
    next() {
      const window = windowAt(next);
      next += 1;
      return kind === 'scrapes' && draws.uniform() < 0.1 ? undefined : window;
    },
  };
}

function total(pods: readonly Counts[]): Counts {
  return { requests: pods.reduce((sum, pod) => sum + pod.requests, 0), failures: pods.reduce((sum, pod) => sum + pod.failures, 0) };
}

/** Each series has a factor of its own, by where its first and last sample lie in the window. */
function extrapolated({ requests, failures }: Counts, draws: Draws): Counts {
  const counted = requests * (1 + draws.uniform() / 3);
  return { requests: counted, failures: Math.min(counted, failures * (1 + draws.uniform() / 3)) };
}
