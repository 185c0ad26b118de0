import type { Canary, Webhook } from '../../api/canary.ts';
import { requestId } from '../../api/verb-request.ts';
import { hideSecrets } from '../../base/hide-secrets.ts';
import { isRecord } from '../../base/json.ts';
import type { Context } from '../context.ts';
import type { Answer } from '../questions.ts';
import type { JournalAnswer } from './journal-part.ts';
import { withoutCredentials } from './without-credentials.ts';

/** Replaces a text by another, always the same for the same text, from which the text cannot be guessed. */
export type Hide = (text: string) => string;

/** Replacement for the random word of the cookies. */
const COOKIE_WORD = 'journal';
const LONGEST_TEXT = 1_500;
const MOST_QUERIES = 40;

const keys = (words: string): ReadonlySet<string> => new Set(words.split(/\s+/));

/** Fields whose text is a name, a code, a time or a revision. Text of any field that is neither here nor in `SENTENCES` is hidden. */
const SHOWN =
  keys(`apiVersion kind name namespace uid deletionTimestamp provider state rollout revision template resourceVersion carries target
  primaryRevision verb id by phase step targetUid promotedRevision observedRollout scaledDownUid scaler writer gate check verdict limit key outcome
  severity type container cause pod open webhook webhooks interval initialDelay mode unmeasured cookieName primaryCookieName side code metric
  pace tolerate atLeast warmUp maxStepDuration limits reported requester`);
/** Sentences and queries: stored without strings that look like a secret, and without the secrets of the spec. */
const SENTENCES = keys('image from to problem reason message detail field unreadable query trafficQuery queries');
/** Values below belong to the user, field names included. */
const OPAQUE = keys('match templateVariables');

const SPEC = ['provider', 'targetRef', 'ingressRef', 'routeRef', 'routeRefs', 'progressDeadlineSeconds', 'skipAnalysis', 'suspend'];

/** Everything of a release that a decision can depend on, without possible secrets (docs/journal.md lists what is kept). */
export class Concealment {
  readonly #hide: Hide;
  /** Texts of the spec that must not appear in any sentence. */
  #secrets: readonly string[] = [];

  constructor(hide: Hide) {
    this.#hide = hide;
  }

  /** A field of the facts. */
  fact(name: string, value: unknown): unknown {
    return name === 'cookieWord' ? COOKIE_WORD : this.#field(name, value);
  }

  /** From now on no sentence contains a text of this Canary that can be a secret. */
  canary(canary: Canary): object {
    this.#secrets = secretsIn(canary);
    return this.#field('canary', partOf(canary)) as object;
  }

  context(context: Context): Context {
    return { ...(this.#field('', context) as Context), asks: [] };
  }

  answer({ id: _, ...answer }: Answer): JournalAnswer {
    const queries = 'queries' in answer ? { queries: answer.queries?.slice(0, MOST_QUERIES) } : {};
    return this.#field('', { ...answer, ...queries }) as JournalAnswer;
  }

  #field(key: string, value: unknown): unknown {
    if (typeof value === 'string') return SHOWN.has(key) ? value : SENTENCES.has(key) ? this.#sentence(value) : this.#hide(value);
    if (Array.isArray(value)) return value.map((one) => this.#field(key, one));
    if (!isRecord(value)) return value;
    if (OPAQUE.has(key)) return this.#opaque(value);
    if (key === 'affinity') return Object.fromEntries(Object.entries(value).map(([side, cookie]) => [side, cookieOf(cookie)]));
    // An unreadable request has its whole text as its id.
    const isUnreadable = typeof value.id === 'string' && (key === 'request' || key === 'requests') && !requestId.test(value.id);
    // Releases that ended before decide nothing about this one.
    const { pastReleases: _, ...current } = value;
    const entries = Object.entries(key === 'routedFor' || key === 'leftRoutes' ? placeOnly(value) : current);
    return Object.fromEntries(
      entries.map(([name, one]) => {
        // Fields of an alert are foreign sentences, and none is needed.
        if (name === 'fields') return [name, []];
        return [name, name === 'id' && isUnreadable ? this.#hide(String(one)) : this.#field(name, one)];
      }),
    );
  }

  #opaque(value: unknown): unknown {
    if (typeof value === 'string') return this.#hide(value);
    if (Array.isArray(value)) return value.map((one) => this.#opaque(one));
    return isRecord(value) ? Object.fromEntries(Object.entries(value).map(([key, one]) => [key, this.#opaque(one)])) : value;
  }

  /**
   * A decision depends on the equality of two sentences, and the engine combines them into longer ones: a replacement must not depend on the text around it.
   */
  #sentence(text: string): string {
    return withoutCredentials(hideSecrets(text, this.#secrets)).slice(0, LONGEST_TEXT);
  }
}

const METADATA = ['name', 'namespace', 'uid', 'generation', 'deletionTimestamp', 'annotations'] as const;

/** Everything on which the concealed Canary and its secrets depend: equal sources have the same result. */
export function readFrom({ metadata, spec }: Canary): unknown {
  return [spec, pick(metadata, METADATA)];
}

/** True if `readFrom` reads the same values and objects from both. */
export function isReadAlike(one: Canary, other: Canary): boolean {
  return one.spec === other.spec && METADATA.every((name) => one.metadata[name] === other.metadata[name]);
}

/** The fields of a Canary that the engine reads; its status is in the snapshot. */
function partOf({ apiVersion, kind, metadata, spec }: Canary): object {
  const { webhooks, sessionAffinity } = spec.analysis;
  return {
    apiVersion,
    kind,
    metadata: { resourceVersion: '', ...pick(metadata, ['name', 'namespace', 'uid', 'generation', 'deletionTimestamp']) },
    spec: {
      ...pick(spec, SPEC),
      service: pick(spec.service, ['port', 'name']),
      analysis: {
        ...spec.analysis,
        // Needed to decide that a webhook is called, and that it replaces another one.
        ...(webhooks && { webhooks: webhooks.map((one: Webhook) => pick(one, ['name', 'type', 'url', 'muteAlert'])) }),
        ...(sessionAffinity && { sessionAffinity: pick(sessionAffinity, ['cookieName', 'primaryCookieName']) }),
      },
    },
  };
}

/** The part by which two places of routes differ (E113). */
function placeOnly({ spec, ...routed }: Record<string, unknown>): object {
  if (!isRecord(spec)) return routed;
  const service = isRecord(spec.service) ? { service: pick(spec.service, ['port', 'name']) } : {};
  return { ...routed, spec: { ...service, ...pick(spec, ['ingressRef', 'routeRef']) } };
}

const cookieOf = (cookie: unknown): unknown => (typeof cookie === 'string' ? `${cookie.split('=', 1)[0]}=${COOKIE_WORD}` : cookie);

function pick(from: object, names: readonly string[]): object {
  return Object.fromEntries(Object.entries(from).filter(([name]) => names.includes(name)));
}

function secretsIn({ metadata, spec: { analysis, service } }: Canary): string[] {
  const { metrics = [], webhooks = [], match = [] } = analysis;
  const found = new Set<string>();
  const add = (value: unknown): void => {
    if (typeof value === 'string') found.add(value);
    else if (typeof value === 'object' && value !== null) for (const one of Object.values(value)) add(one);
  };
  for (const { templateVariables } of metrics) add(templateVariables);
  for (const { url, metadata: sent } of webhooks) add([url, sent]);
  for (const { headers, queryParams } of match) add([headers, queryParams]);
  add([service.headers, metadata.annotations]);
  return [...found];
}
