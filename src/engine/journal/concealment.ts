import type { Canary, Metric, Webhook } from '../../api/canary.ts';
import type { Release, RoutedFor, SeenConfig, Verdict } from '../../api/canary-status.ts';
import { hideSecrets } from '../../api/hide-secrets.ts';
import { redactText } from '../../api/redact-text.ts';
import type { HttpMatch, Routes } from '../../api/routes.ts';
import { requestId } from '../../api/verb-request.ts';
import type { Context } from '../context.ts';
import type { Facts } from '../facts.ts';
import type { Answer } from '../questions.ts';

/** Replaces a text by one that is the same for the same text, and from which the text cannot be guessed. */
export type Hide = (text: string) => string;

/** Stands for the word of the cookies, which a journal does not hold. */
export const COOKIE_WORD = 'journal';
const LONGEST_TEXT = 600;
const MOST_QUERIES = 40;

/** Everything of a release that a decision can depend on, without what may be a secret (docs/journal.md lists what is kept). */
export class Concealment {
  readonly #hide: Hide;
  /** Texts of the spec that must not appear in any message. */
  #secrets: readonly string[] = [];

  constructor(hide: Hide) {
    this.#hide = hide;
  }

  facts(facts: Facts): Facts {
    const { canary, target, primary, liveRoutes, refused, unroutable, request, unconfirmed, obstacle, ...rest } = facts;
    this.#secrets = secretsIn(canary);
    const { configs, undetermined, ...side } = target ?? {};
    return {
      ...rest,
      canary: this.#canary(canary),
      cookieWord: COOKIE_WORD,
      ...(target && {
        target: {
          ...(side as typeof target),
          readiness: this.#readiness(target.readiness),
          ...(configs && { configs: this.#configs(configs) }),
          ...(undetermined !== undefined && { undetermined: this.text(undetermined) }),
        },
      }),
      ...(primary && { primary: { ...primary, readiness: this.#readiness(primary.readiness) } }),
      ...(liveRoutes && {
        liveRoutes: 'unreadable' in liveRoutes ? { unreadable: this.text(liveRoutes.unreadable) } : this.routes(liveRoutes),
      }),
      ...(refused && { refused: { ...refused, message: this.text(refused.message) } }),
      ...(unroutable && { unroutable: { ...unroutable, message: this.text(unroutable.message) } }),
      ...(unconfirmed !== undefined && { unconfirmed: this.text(unconfirmed) }),
      ...(obstacle !== undefined && { obstacle: this.text(obstacle) }),
      ...(request && { request: 'problem' in request ? { id: this.#requestId(request.id), problem: 'it cannot be read' } : request }),
    };
  }

  context({ release, recorded, rollback, ...context }: Context): Context {
    return {
      ...context,
      asks: [],
      release: this.release(release),
      ...(recorded && { recorded: { phase: recorded.phase, release: this.release(recorded.release) } }),
      ...(rollback && { rollback }),
    };
  }

  release(release: Release): Release {
    const { routes, heldRoutes, routedFor, leftRoutes, configs, verdicts, reason, deliveries, requests, ...rest } = release;
    return {
      ...rest,
      routes: this.routes(routes),
      ...(heldRoutes && { heldRoutes: this.routes(heldRoutes) }),
      ...(routedFor && { routedFor: placeOnly(routedFor) }),
      ...(leftRoutes && { leftRoutes: leftRoutes.map(placeOnly) }),
      ...(configs && { configs: this.#configs(configs) }),
      ...(verdicts && { verdicts: verdicts.map((one) => this.#verdict(one)) }),
      ...(reason !== undefined && { reason: this.text(reason) }),
      ...(deliveries && {
        deliveries: deliveries.map(({ message, alert, ...one }) => ({
          ...one,
          message: this.text(message),
          ...(alert && { alert: { ...alert, fields: [] } }),
        })),
      }),
      ...(requests && {
        requests: requests.map(({ id, reason: why, ...one }) => ({
          ...one,
          id: this.#requestId(id),
          ...(why !== undefined && { reason: this.text(why) }),
        })),
      }),
    };
  }

  answer(answer: Answer): Answer {
    switch (answer.kind) {
      case 'measure': {
        const { queries, ...measured } = answer;
        return {
          ...measured,
          verdicts: answer.verdicts.map((one) => this.#verdict(one)),
          ...(queries && { queries: queries.slice(0, MOST_QUERIES).map((one) => this.text(one)) }),
        };
      }
      default:
        return 'reason' in answer ? { ...answer, reason: this.text(answer.reason) } : answer;
    }
  }

  routes(routes: Routes): Routes {
    if (routes.kind === 'mirrored') return routes;
    const { affinity, match, ...rest } = routes;
    const cookie = (one: string | undefined) => (one === undefined ? undefined : `${one.split('=', 1)[0]}=${COOKIE_WORD}`);
    const cookies = affinity && { canary: cookie(affinity.canary), primary: cookie(affinity.primary), previous: cookie(affinity.previous) };
    return {
      ...rest,
      ...(match && { match: match.map((one) => this.#match(one)) }),
      ...(cookies && { affinity: cookies }),
    } as Routes;
  }

  /** A message of others. No decision depends on its words, but one may depend on whether two are the same. */
  text(text: string): string {
    const shown = redactText(hideSecrets(text, this.#secrets)).slice(0, LONGEST_TEXT);
    return shown === text ? text : `${shown} ${this.#hide(text)}`;
  }

  /** What the engine reads of a Canary; its status is in the snapshot. */
  #canary({ apiVersion, kind, metadata, spec }: Canary): Canary {
    const { name, namespace, uid, generation, deletionTimestamp } = metadata;
    const { provider, targetRef, service, ingressRef, routeRef, analysis, progressDeadlineSeconds, skipAnalysis, suspend } = spec;
    const { match, metrics, webhooks, alerts, sessionAffinity, ...plan } = analysis;
    return {
      apiVersion,
      kind,
      metadata: { name, namespace, uid, generation, resourceVersion: '', ...(deletionTimestamp !== undefined && { deletionTimestamp }) },
      spec: {
        ...(provider && { provider }),
        targetRef,
        service: { port: service.port, ...(service.name !== undefined && { name: service.name }) },
        ...(ingressRef && { ingressRef }),
        ...(routeRef && { routeRef }),
        analysis: {
          ...plan,
          ...(match && { match: match.map((one) => this.#match(one)) }),
          ...(metrics && { metrics: metrics.map((one) => this.#metric(one)) }),
          ...(webhooks && { webhooks: webhooks.map((one) => this.#webhook(one)) }),
          ...(alerts && {
            alerts: alerts.map(({ name: alert, severity, providerRef }) => ({
              name: alert,
              ...(severity !== undefined && { severity }),
              providerRef,
            })),
          }),
          ...(sessionAffinity && {
            sessionAffinity: {
              cookieName: sessionAffinity.cookieName,
              ...(sessionAffinity.primaryCookieName !== undefined && { primaryCookieName: sessionAffinity.primaryCookieName }),
            },
          }),
        },
        ...(progressDeadlineSeconds !== undefined && { progressDeadlineSeconds }),
        ...(skipAnalysis !== undefined && { skipAnalysis }),
        ...(suspend !== undefined && { suspend }),
      },
    };
  }

  #metric({ query, trafficQuery, templateVariables, baseline, ...metric }: Metric): Metric {
    return {
      ...metric,
      ...(query !== undefined && { query: this.#hide(query) }),
      ...(trafficQuery !== undefined && { trafficQuery: this.#hide(trafficQuery) }),
      ...(templateVariables && { templateVariables: this.#strings(templateVariables) }),
      ...(baseline && { baseline: { ...baseline, ...(baseline.query !== undefined && { query: this.#hide(baseline.query) }) } }),
    };
  }

  /** Whether it is called, and whether another one is called in its place, is all that a decision can depend on. */
  #webhook({ name, type, url, muteAlert }: Webhook): Webhook {
    return { name, ...(type !== undefined && { type }), url: this.#hide(url), ...(muteAlert !== undefined && { muteAlert }) };
  }

  #match(match: HttpMatch): HttpMatch {
    const hidden = (value: unknown): unknown => {
      if (typeof value === 'string') return this.#hide(value);
      if (Array.isArray(value)) return value.map(hidden);
      if (typeof value !== 'object' || value === null) return value;
      return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, hidden(one)]));
    };
    return hidden(match) as HttpMatch;
  }

  /** A checksum of a short Secret could be found by trying. */
  #configs(configs: Readonly<Record<string, SeenConfig>>): Record<string, SeenConfig> {
    return Object.fromEntries(
      Object.entries(configs).map(([key, { checksum, ...one }]) => [
        key,
        { ...one, ...(checksum !== undefined && { checksum: this.#hide(checksum) }) },
      ]),
    );
  }

  #verdict({ reason, ...verdict }: Verdict): Verdict {
    return { ...verdict, ...(reason !== undefined && { reason: this.text(reason) }) };
  }

  #readiness<T extends { reason?: string }>({ reason, ...readiness }: T): Omit<T, 'reason'> & { reason?: string } {
    return { ...readiness, ...(reason !== undefined && { reason: this.text(reason) }) };
  }

  #strings(values: Readonly<Record<string, string>>): Record<string, string> {
    return Object.fromEntries(Object.entries(values).map(([key, value]) => [key, this.#hide(value)]));
  }

  /** One that cannot be read stands with its whole text as its id. */
  #requestId(id: string): string {
    return requestId.test(id) ? id : this.#hide(id);
  }
}

/** The part by which two places are told apart (E113). */
function placeOnly({ provider, spec }: RoutedFor): RoutedFor {
  const { service, ingressRef, routeRef } = spec as Partial<Canary['spec']>;
  return {
    provider,
    spec: {
      ...(service && { service: { port: service.port, ...(service.name !== undefined && { name: service.name }) } }),
      ...(ingressRef && { ingressRef }),
      ...(routeRef && { routeRef }),
    },
  };
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
