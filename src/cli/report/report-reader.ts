import type { KubeObject, ObjectRef } from '../../api/kube-object.ts';
import { keptIn } from '../../base/once.ts';
import { redactText } from '../../base/redact-text.ts';
import type { ClusterReader, KindRef, Selection } from '../../kube/cluster.ts';
import { ApiError, RequestTimeoutError, UnreachableError } from '../../kube/errors.ts';
import { type CanaryIdentity, type Journal, readJournals } from '../../reading/journals/read-journals.ts';
import type { Redaction } from './redaction.ts';

/** Never read, even if an object refers to them. */
const CLOSED: ReadonlySet<string> = new Set(['Secret', 'ConfigMap']);

/** Journals of one Canary, the newest ones. */
const MOST_JOURNALS = 3;

type List = { items: KubeObject[]; resourceVersion: string };

/** Reads for a report: redacts every object at once, and notes a failure instead of throwing it. */
export class ReportReader implements ClusterReader {
  /** Objects that could not be read, and why. */
  readonly notRead: Map<string, string>;
  readonly #cluster: ClusterReader;
  readonly #redaction: Redaction;
  /** Lists of whole namespaces, cached: each Canary of a namespace needs the same. */
  readonly #lists: Map<string, Promise<List | undefined>>;

  constructor(
    cluster: ClusterReader,
    redaction: Redaction,
    shared: { notRead: Map<string, string>; lists: Map<string, Promise<List | undefined>> } = { notRead: new Map(), lists: new Map() },
  ) {
    this.#cluster = cluster;
    this.#redaction = redaction;
    this.notRead = shared.notRead;
    this.#lists = shared.lists;
  }

  /** A reader that shares what was read, and has its own redaction. */
  with(redaction: Redaction): ReportReader {
    return new ReportReader(this.#cluster, redaction, { notRead: this.notRead, lists: this.#lists });
  }

  async get(ref: ObjectRef): Promise<KubeObject | undefined> {
    const what = `${ref.kind} ${ref.namespace === undefined ? '' : `${ref.namespace}/`}${ref.name}`;
    const found = await this.#attempt(ref, what, () => this.#cluster.get(ref));
    if (found) return this.#redaction.object(found);
    if (!this.notRead.has(what)) this.notRead.set(what, 'does not exist');
    return undefined;
  }

  async list(kind: KindRef, selection: Selection = {}): Promise<List> {
    const found = await this.#attempt(kind, `${kind.kind} objects ${placeOf(kind)}`, () => this.#cluster.list(kind, selection));
    return { resourceVersion: '', ...found, items: (found?.items ?? []).map((item) => this.#redaction.object(item)) };
  }

  /** The objects of a kind in a namespace that `isWanted` takes; it sees them unredacted. */
  async choose(kind: KindRef, isWanted: (object: KubeObject) => boolean): Promise<KubeObject[]> {
    const key = `${kind.kind} objects ${placeOf(kind)}`;
    const list = await keptIn(this.#lists, key, () => this.#attempt(kind, key, () => this.#cluster.list(kind)));
    return (list?.items ?? []).filter(isWanted).map((item) => this.#redaction.object(item));
  }

  /** Readable journals. Serin writes them without possible secrets, but another writer can have made a record. */
  async journals(canary: CanaryIdentity): Promise<Journal[]> {
    const found = (await this.attempt('journals of releases', () => readJournals(this.#cluster, canary))) ?? [];
    for (const { run, problems } of found)
      for (const problem of problems) this.notRead.set(`journal of release ${run}`, redactText(problem));
    return found
      .filter(({ parts }) => parts.length > 0)
      .slice(0, MOST_JOURNALS)
      .map(redactTexts);
  }

  /** Any other question. */
  attempt<T>(what: string, ask: () => Promise<T>): Promise<T | undefined> {
    return this.#attempt({ kind: '' }, what, ask);
  }

  async #attempt<T>({ kind }: { kind: string }, what: string, ask: () => Promise<T>): Promise<T | undefined> {
    if (CLOSED.has(kind)) {
      this.notRead.set(what, 'its content is never read for a report');
      return undefined;
    }
    try {
      return await ask();
    } catch (error) {
      this.notRead.set(what, reasonOf(error));
      return undefined;
    }
  }
}

function redactTexts<T>(value: T): T {
  if (typeof value === 'string') return redactText(value) as T;
  if (Array.isArray(value)) return value.map(redactTexts) as T;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, redactTexts(one)])) as T;
}

const placeOf = ({ namespace }: KindRef): string => (namespace === undefined ? 'of all namespaces' : `in ${namespace}`);

/** Without the words of the server: they name the requesting user. */
function reasonOf(error: unknown): string {
  if (error instanceof RequestTimeoutError || error instanceof UnreachableError) return 'the API server did not answer';
  if (!(error instanceof ApiError)) throw error;
  if (error.status === 403) return 'cannot be read with these credentials';
  return error.status === 404 ? 'the cluster has no such kind' : `the API server answered ${error.status} ${error.reason}`;
}
