import type { Counts, PodCounts, Window } from '../../src/judge/window.ts';
import type { Cell, Strategy } from './cells.ts';
import type { Draws } from './draws.ts';

export const WINDOW_MS = 60_000;
/** Minutes of the primary before the release. */
export const HISTORY = 180;

const PODS = { canary: 2, primary: 10 };
const CLUSTER = 3;
const SESSION = { failuresPerMinute: 4, minutes: 5 };
const PER_SESSION = SESSION.failuresPerMinute * SESSION.minutes;

/** A release of a cell, minute by minute. */
export interface Release {
  /** The primary alone, before the release. */
  history: Counts[];
  /** The next minute; undefined when the scrape was lost. */
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
  const { kind, rps, base, effect, strategy } = cell;
  const phase = draws.uniform();
  const outageAt = Math.floor(draws.uniform() * 60);
  const podRates = (count: number) => Array.from({ length: count }, () => Math.exp(0.294 * draws.normal() - 0.0431));
  const rates = { canary: podRates(PODS.canary), primary: podRates(PODS.primary) };
  const sessions = { canary: { active: 0, usual: 0 }, primary: { active: 0, usual: 0 } };
  const hasPods = kind === 'pods' || kind === 'podsUnseen';
  const hasUsers = kind === 'users' || kind === 'usersUnlearned' || kind === 'lateUsers';
  let minute = 0;

  const rateAt = (at: number): number => {
    if (kind === 'drift') return base * (1 + 0.8 * Math.sin(2 * Math.PI * (at / 90 + phase)));
    if (kind === 'outage' && at >= outageAt && at < outageAt + 5) return Math.min(0.5, base * 20);
    return base;
  };

  const side = (name: 'canary' | 'primary', perSecond: number, rate: number): Counts => {
    const requests = draws.poisson(perSecond * 60);
    const expected = hasUsers ? perSecond * 60 : requests;
    return { requests, failures: Math.min(requests, failuresOf(name, expected, Math.min(1, rate))) };
  };

  /** Users in the middle of a session who come with more traffic; late ones only begin theirs then. */
  const moved = (name: 'canary' | 'primary', mean: number): number => {
    const before = sessions[name].usual;
    const usual = mean / SESSION.failuresPerMinute;
    sessions[name].usual = Math.max(before, usual);
    return kind === 'lateUsers' && name === 'canary' ? 0 : Math.max(0, usual - before);
  };

  const failuresOf = (name: 'canary' | 'primary', requests: number, rate: number): number => {
    const mean = requests * rate;
    if (kind === 'retries') return draws.clusters(draws.poisson(mean / CLUSTER), CLUSTER);
    if (kind === 'bursts') return draws.poisson((mean * draws.gamma(4)) / 4);
    if (kind === 'loyalUser' && name === 'canary') return draws.poisson(mean) + draws.poisson(5);
    if (!hasUsers) return draws.poisson(mean);
    sessions[name].active =
      draws.staying(sessions[name].active, 1 - 1 / SESSION.minutes) + draws.poisson(mean / PER_SESSION + moved(name, mean));
    return draws.poisson(sessions[name].active * SESSION.failuresPerMinute);
  };

  const byPod = (name: 'canary' | 'primary', perSecond: number, rate: number): PodCounts[] =>
    rates[name].map((factor, index) => ({ name: `${name}-${index}`, ...side(name, perSecond / rates[name].length, rate * factor) }));

  const asScraped = (counts: Counts): Counts => (kind === 'scrapes' ? extrapolated(counts, draws) : counts);

  const history = Array.from({ length: kind === 'usersUnlearned' ? 0 : HISTORY }, (_, index) =>
    hasPods ? total(byPod('primary', rps, base)) : asScraped(side('primary', rps, rateAt(index - HISTORY))),
  );

  return {
    history,
    next() {
      const now = minute;
      minute += 1;
      const { canary, primary } = split(strategy, rps, now);
      const rate = rateAt(now);
      const at = { fromMs: now * WINDOW_MS, toMs: minute * WINDOW_MS };
      if (hasPods) {
        const pods = { canary: byPod('canary', canary, rate * effect), primary: byPod('primary', primary, rate) };
        return { ...at, canary: total(pods.canary), primary: total(pods.primary), ...(kind === 'pods' ? { pods } : {}) };
      }
      const window = {
        ...at,
        canary: asScraped(side('canary', canary, rate * effect)),
        primary: asScraped(side('primary', primary, rate)),
      };
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
