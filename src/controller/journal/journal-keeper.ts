import { createHmac } from 'node:crypto';
import type { KubeObject } from '../../api/kube-object.ts';
import { sleep } from '../../base/clock.ts';
import type { Holder } from '../../engine/journal/journal-memory.ts';
import type { JournalPart } from '../../engine/journal/journal-part.ts';
import type { RecordedStep } from '../../engine/journal/open-part.ts';
import { JournalRecorder } from '../../engine/journal/recorder.ts';
import type { Cluster } from '../../kube/cluster.ts';
import { ApiError, isAlreadyExists } from '../../kube/errors.ts';
import { withPriority } from '../../kube/with-priority.ts';
import { recordKind } from '../../workloads/anchor.ts';
import {
  type JournalHead,
  journalsOf,
  MOST_PARTS,
  packJournal,
  partsToPrune,
  renderJournal,
  type StoredPart,
  storedParts,
} from '../../workloads/journal-record.ts';
import type { ControllerDeps } from '../controller-deps.ts';

/** Parts that wait to be stored; a cluster that answers slowly must not make them pile up. */
const MOST_WAITING = 4;
const MOST_TRIES = 3;
const RETRY_MS = 5_000;
/** Records that are deleted after one release. */
const MOST_DELETED = 20;
/** For the part under way, when the process stops. */
const STOP_MS = 2_000;

type JournalKeeperDeps = Pick<
  ControllerDeps,
  'cluster' | 'clock' | 'anchors' | 'config' | 'log' | 'isLeading' | 'cookieWord' | 'version' | 'writer' | 'journalMemory'
>;

/** A part that waits to be stored; without its text once that was given up. */
interface WaitingPart {
  head: JournalHead;
  text: string | undefined;
}

/** Journals in the cluster, where they were listed; `unlisted`: parts that were stored before that. */
export interface StoredJournals {
  listed: { uid: string; parts: StoredPart[] } | undefined;
  unlisted: number;
}

/**
 * Stores the journals of one Canary's releases, each part as a ControllerRevision of its own: nothing is read to go on after a restart. No
 * release waits for it, and a failure costs only the part.
 */
export class JournalKeeper {
  readonly #deps: JournalKeeperDeps;
  readonly #recorder: JournalRecorder;
  readonly #stopping = new AbortController();
  #isStopping = false;
  #storing: Promise<void> = Promise.resolve();
  #waiting = 0;
  /** Listed once, and kept up since: no one else writes journals of this Canary. */
  readonly stored: StoredJournals;
  #isBroken = false;

  constructor(deps: JournalKeeperDeps, namespace: string, stored: StoredJournals = { listed: undefined, unlisted: 0 }) {
    this.#deps = deps;
    this.stored = stored;
    this.#recorder = new JournalRecorder({
      namespace,
      memory: deps.journalMemory,
      engine: deps.version,
      writer: deps.writer,
      hide: () => {
        // Never stored: a text that is hidden cannot be found by trying.
        const salt = deps.cookieWord();
        return (text) => `#${createHmac('sha256', salt).update(text).digest('hex').slice(0, 12)}`;
      },
      keep: (part) => this.#keep(part),
    });
  }

  get isStoring(): boolean {
    return this.#waiting > 0;
  }

  stepped(step: RecordedStep): void {
    this.#try(() => this.#recorder.stepped(step));
  }

  wrote(what: string): void {
    this.#try(() => this.#recorder.wrote(what));
  }

  /** Stores the part under way, where the cluster answers soon. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    this.#try(() => this.#recorder.stop());
    if (this.#waiting === 0) return;
    const waited = new AbortController();
    await Promise.race([this.#storing, sleep(this.#deps.clock, STOP_MS, waited.signal).catch(() => undefined)]);
    waited.abort();
    this.#stopping.abort(new Error('stopped'));
    await this.#storing;
  }

  /** A release goes on without its journal, never the other way round. */
  #try(act: () => void): void {
    if (this.#isBroken) return;
    try {
      act();
    } catch (err) {
      this.#isBroken = true;
      this.#deps.log.error({ err }, 'a journal cannot be recorded');
    }
  }

  #keep(part: JournalPart): void {
    const isOver = part.ended !== undefined;
    // A release that is too long loses the middle of its journal.
    if (this.#waiting >= MOST_WAITING || (!isOver && part.number > MOST_PARTS)) return;
    const { canary, run, beganMs } = part;
    const waiting: WaitingPart = { head: { canary, run, beganMs }, text: packJournal(part) };
    const holder: Holder = {
      namespace: canary.namespace,
      giveUp() {
        waiting.text = undefined;
      },
    };
    const { journalMemory, log } = this.#deps;
    journalMemory.hold(holder, waiting.text?.length ?? 0);
    this.#waiting += 1;
    this.#storing = this.#storing
      .then(() => this.#store(waiting, isOver || part.number === MOST_PARTS))
      .catch((err: unknown) => {
        if (!this.#isStopping) log.warn({ canary: `${canary.namespace}/${canary.name}`, err }, 'a journal was not stored');
      })
      .finally(() => {
        journalMemory.hold(holder, 0);
        this.#waiting -= 1;
      });
  }

  /** Tries again after a failure, which can pass, but not after a refusal. */
  async #create(record: KubeObject, cluster: Cluster): Promise<void> {
    const { signal } = this.#stopping;
    for (let tries = 1; ; tries += 1) {
      try {
        await cluster.create(record, { signal });
        return;
      } catch (error) {
        if (isAlreadyExists(error)) return;
        const isRefused = error instanceof ApiError && error.status < 500 && error.status !== 429;
        if (isRefused || tries === MOST_TRIES || signal.aborted) throw error;
        await sleep(this.#deps.clock, RETRY_MS, signal);
        if (!this.#deps.isLeading()) throw error;
      }
    }
  }

  async #store(waiting: WaitingPart, mayPrune: boolean): Promise<void> {
    const { anchors, isLeading, config } = this.#deps;
    const { signal } = this.#stopping;
    const { canary } = waiting.head;
    if (signal.aborted || !isLeading()) return;
    const cluster = withPriority(this.#deps.cluster, 'upkeep');
    const anchor = await anchors.existing({ metadata: canary }, signal);
    if (!anchor || waiting.text === undefined || !isLeading()) return;
    const record = renderJournal(waiting.head, waiting.text, anchor);
    await this.#create(record, cluster);
    if (this.stored.listed?.uid === canary.uid) this.stored.listed.parts.push(...storedParts([record], canary));
    else this.stored.unlisted += 1;
    if (!mayPrune || !isLeading() || this.#areFew(waiting.head)) return;
    const kind = { ...recordKind, namespace: canary.namespace };
    if (this.stored.listed?.uid !== canary.uid) {
      const { items } = await cluster.list(kind, { labelSelector: journalsOf(canary), metadataOnly: true, signal });
      this.stored.listed = { uid: canary.uid, parts: storedParts(items, canary) };
    }
    const { parts } = this.stored.listed;
    for (const part of partsToPrune(parts, config.journalLimit).slice(0, MOST_DELETED)) {
      if (!isLeading()) return;
      await cluster.delete({ ...kind, name: part.name }, { signal });
      parts.splice(parts.indexOf(part), 1);
    }
  }

  /** True while the Canary has had no more releases than are kept: nothing can be pruned, so nothing is listed. Its status is trusted only so often. */
  #areFew({ canary, run }: JournalHead): boolean {
    const { journalLimit } = this.#deps.config;
    return this.stored.listed?.uid !== canary.uid && run <= journalLimit && this.stored.unlisted <= Math.min(journalLimit, MOST_PARTS);
  }
}
