import { lookup } from 'node:dns';
import type { LookupFunction } from 'node:net';
import type { Turns } from '../../api/turns.ts';
import type { Clock } from '../../base/clock.ts';
import { FairQueue } from '../../kube/fair-queue.ts';
import type { EgressPolicy } from '../../outgoing/connection.ts';
import { FoundAddresses, type LookupAnswer } from './found-addresses.ts';
import { type PartOfFree, partOfFree } from './part-of-free.ts';

/** Each holds a socket and some kilobytes, so even thousands of namespaces can have theirs. */
const SURE = 4;
/** Enough for a namespace with a thousand Canaries and without neighbours. */
const PART = 1 / 4;
/** A query has ten seconds where nothing else is said: the checks of a namespace whose backends do not answer are unmeasured after three rounds. */
const QUERIES = { total: 512, part: PART, perKey: 96, sure: SURE, mostWaiting: 10_000, waitMs: 30_000 };
/** A gate or a load test can hold its call for minutes. */
const MESSAGES = { total: 1_024, part: PART, perKey: 192, sure: SURE, mostWaiting: 5_000 };
/** Limits of large answers, of up to 1 MiB each. */
const LARGE_ANSWERS = { total: 48, perKey: 4, mostWaiting: QUERIES.perKey };
const LOOKUPS = { perKey: 4, mostWaiting: 1_000, waitMs: 10_000 };
/** For the turn of a look-up whose name was found of late. */
const WAIT_FOR_NEWER_MS = 1_000;
/** Number of namespaces whose names are remembered, the last callers first. */
const MOST_NAMESPACES = 1_000;
/** Threads that name look-ups never take: they also read files. */
const SPARE_THREADS = 2;

export type CallKind = 'query' | 'message' | 'gate' | 'large_answer' | 'lookup';
export interface CallFigures {
  kind: CallKind;
  running: number;
  waiting: number;
  /** Calls that had no turn. */
  refused: number;
}

/** Connections and turns for the calls of one namespace. */
export interface Calls {
  turns: Turns;
  /** Policy to addresses of Canaries, MetricTemplates and AlertProviders. */
  egress: EgressPolicy;
  /** Policy to addresses of flags. */
  ownEgress: EgressPolicy;
}
export type CallsOf = (namespace: string) => Calls;

interface Limits extends PartOfFree {
  /** Limit of one namespace. */
  perKey: number;
  mostWaiting: number;
}

interface EgressPolicies {
  /** The egress policy, with the function that resolves names. */
  egress(lookup: LookupFunction): EgressPolicy;
  ownEgress: EgressPolicy;
}

/** The calls that Canaries cause: how many at once, by namespace and in all (I15). */
export class OutgoingCalls {
  readonly #policies: EgressPolicies;
  readonly #resolve: LookupFunction;
  readonly #queues: Record<CallKind, FairQueue>;
  readonly #clock: Clock;
  /** By namespace, so that no namespace drops the entries of another. The last caller comes last. */
  readonly #found = new Map<string, FoundAddresses>();

  /** `threads`: of the process, for what blocks one, as a name look-up does. `resolve`: default: the system's. */
  constructor({
    clock,
    threads,
    resolve = lookup,
    ...policies
  }: EgressPolicies & { clock: Clock; threads: number; resolve?: LookupFunction }) {
    this.#resolve = resolve;
    this.#clock = clock;
    this.#policies = policies;
    const divided = ({ perKey, mostWaiting, ...room }: Limits) =>
      new FairQueue({ clock, admission: partOfFree(room), perKey, mostWaiting });
    this.#queues = {
      query: divided(QUERIES),
      message: divided(MESSAGES),
      gate: divided(MESSAGES),
      large_answer: divided(LARGE_ANSWERS),
      lookup: divided({ ...LOOKUPS, total: Math.max(1, threads - SPARE_THREADS) }),
    };
  }

  readonly queriesOf: CallsOf = (namespace) => {
    const { waitMs } = QUERIES;
    return { turns: { run: (work, signal) => this.#queues.query.run(namespace, work, { signal, waitMs }) }, ...this.#waysOf(namespace) };
  };

  /** Webhooks and alerts, which wait for as long as it takes: a call that was not made has no answer. */
  readonly messagesOf: CallsOf = (namespace) => ({
    turns: { run: (work, signal) => this.#queues.message.run(namespace, work, { signal }) },
    ...this.#waysOf(namespace),
  });

  /** Gates have turns of their own, so that none waits for the load tests of its namespace: a gate can request a rollback. */
  readonly gatesOf: CallsOf = (namespace) => ({
    ...this.messagesOf(namespace),
    turns: { run: (work, signal) => this.#queues.gate.run(namespace, work, { signal }) },
  });

  figures(): CallFigures[] {
    return Object.entries(this.#queues).map(([kind, { running, waiting, refused }]) => ({
      kind: kind as CallKind,
      ...{ running, waiting, refused },
    }));
  }

  #waysOf(namespace: string): Omit<Calls, 'turns'> {
    const bounded =
      (egress: EgressPolicy): EgressPolicy =>
      (url, proxy) => {
        const connection = egress(url, proxy);
        if ('problem' in connection) return connection;
        return { ...connection, growAnswer: (signal) => this.#queues.large_answer.turn(namespace, { signal }) };
      };
    return { egress: bounded(this.#policies.egress(this.#lookupOf(namespace))), ownEgress: bounded(this.#policies.ownEgress) };
  }

  /** A look-up holds its thread until the resolver gives up, whether or not its call is still waited for. */
  #lookupOf(namespace: string): LookupFunction {
    const names = this.#found.get(namespace) ?? new FoundAddresses(this.#clock);
    this.#found.delete(namespace);
    this.#found.set(namespace, names);
    const [oldest = ''] = this.#found.keys();
    if (this.#found.size > MOST_NAMESPACES) this.#found.delete(oldest);
    return (hostname, options, callback) => {
      const question = JSON.stringify([hostname, options]);
      const waitMs = names.find(question) ? WAIT_FOR_NEWER_MS : LOOKUPS.waitMs;
      this.#queues.lookup.turn(namespace, { waitMs }).then(
        (end) =>
          this.#resolve(hostname, options, (...found) => {
            end();
            names.put(question, found);
            callback(...found);
          }),
        (error: Error) => {
          const known: LookupAnswer = names.find(question) ?? [Object.assign(error, { code: 'ENOTURN' }), ''];
          callback(...known);
        },
      );
    };
  }
}
