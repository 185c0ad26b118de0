import { ask } from '../scenarios/users.ts';
import { sleep } from '../scenarios/world.ts';
import type { Answer } from './world.ts';

/** Between two questions of the client at each proxy. */
const PAUSE_MS = 250;
/** A version that has a part of the users is answered by within this time. */
const RECENT_MS = 3_000;
/** After so long it is known whether a pod was down when a request was lost. */
const KNOWN_MS = 3_000;

/** Clients that send requests continuously, one at each proxy. */
export class RealClients {
  readonly #nowMs: () => number;
  readonly #end = new AbortController();
  readonly #all: Promise<void>[];
  /** Time of the last answer of each version, for each proxy. */
  #answered: Map<string, number>[];
  #lost: { atMs: number; why: string }[] = [];

  constructor(urls: readonly string[], host: string, nowMs: () => number) {
    this.#nowMs = nowMs;
    this.#answered = urls.map(() => new Map());
    this.#all = urls.map((url, proxy) => this.#live(url, host, proxy));
  }

  /** Versions that answer now, and requests that were lost. */
  answers(wasAnyDown: (sinceMs: number) => boolean): Answer[] {
    const nowMs = this.#nowMs();
    const known = this.#lost.findIndex(({ atMs }) => nowMs - atMs < KNOWN_MS);
    const lost = this.#lost.splice(0, known === -1 ? this.#lost.length : known);
    return [
      ...lost.map(({ atMs, why }) => ({ lost: why, isPodsFault: wasAnyDown(atMs - KNOWN_MS) })),
      ...this.#answered.flatMap((versions, proxy): Answer[] => {
        const latestMs = Math.max(...versions.values());
        const recent = [...versions].filter(([, atMs]) => atMs === latestMs || nowMs - atMs <= RECENT_MS);
        if (recent.length === 0) return [{ lost: 'no answer yet', isPodsFault: false }];
        return recent.map(([version]) => ({ version, by: `proxy ${proxy + 1}` }));
      }),
    ];
  }

  /** From now on another application answers: answers and losses of the old one no longer count. */
  forget(): void {
    this.#answered = this.#answered.map(() => new Map());
    this.#lost = [];
  }

  async stop(): Promise<void> {
    this.#end.abort();
    await Promise.all(this.#all);
  }

  async #live(url: string, host: string, proxy: number): Promise<void> {
    while (!this.#end.signal.aborted) {
      // If the application is forgotten while a request is in flight, the answer belongs to the old one.
      const answered = this.#answered[proxy];
      const { version, lost } = await ask(url, host);
      const atMs = this.#nowMs();
      if (version !== undefined) answered?.set(version, atMs);
      // An application that has never answered loses no requests.
      else if (answered?.size && answered === this.#answered[proxy]) this.#lost.push({ atMs, why: `proxy ${proxy + 1}: ${lost}` });
      await sleep(PAUSE_MS, this.#end.signal).catch(() => undefined);
    }
  }
}
