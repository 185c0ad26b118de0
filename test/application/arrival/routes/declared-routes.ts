import type { KubeObject } from '../../../../src/api/kube-object.ts';
import { raw } from '../../../fakes/raw.ts';
import type { Loss } from '../fingerprint.ts';
import { canonical, endpointsOf } from '../requests.ts';
import { APPLICATION, type Application, look, type Seen } from '../seen.ts';
import { type Asked, type RouteKind, readers, type Sent } from './users-route.ts';

/** Target ports that the application's user has written in its Service, before any change by Serin. */
const TARGET_PORTS: Readonly<Record<number, number>> = { 80: 8080, 9090: 9090 };

/** Routes that the user declares, and the answers that clients must still get. */
export class DeclaredRoutes {
  readonly #kind: RouteKind;
  readonly #app: Application;
  /** Applications that have a Canary. */
  readonly #apps: readonly Pick<Application, 'target' | 'apex'>[];
  /** Routes that have led clients to the canary, as `apex of route`. */
  readonly #shared = new Set<string>();
  readonly #declared = new Map<string, KubeObject>();
  /** Further headers of clients, besides the headers in rules: those of the group that tries the canary. */
  readonly #more: readonly Readonly<Record<string, string>>[];

  constructor(kind: RouteKind, app: Application, more: readonly Readonly<Record<string, string>>[]) {
    this.#kind = kind;
    this.#app = app;
    this.#apps = [app, ...(app.others ?? []).map((name) => ({ target: name, apex: name }))];
    this.#more = [{}, ...more];
  }

  /** The user, or a tool of theirs, has written it. */
  applied(route: KubeObject): void {
    this.#declared.set(keyOf(route), structuredClone(route));
  }

  /** Routes that lead to an application and never led anyone to its canary. */
  withoutShare(apex = this.#app.apex): string[] {
    const leads = (route: KubeObject, service: string): boolean =>
      readers[this.#kind]
        .askedOf(route)
        .some((asked) =>
          this.#more.some((headers) =>
            readers[this.#kind]
              .answer([route], { ...asked, headers: { ...asked.headers, ...headers } })
              ?.sent.some((sent) => sent.service === service && sent.weight > 0),
          ),
        );
    return [...this.#declared].filter(([key, route]) => leads(route, apex) && !this.#shared.has(`${apex} of ${key}`)).map(([key]) => key);
  }

  /** Requests that are answered otherwise than the user's routes say. The sides of the application count as one. */
  look(objects: readonly KubeObject[]): Loss[] {
    const seen = look(objects, this.#app);
    const declared = [...this.#declared.values()];
    const live = objects.filter(({ kind }) => kind === this.#kind);
    for (const { apex } of this.#apps)
      for (const route of live)
        if (JSON.stringify(raw(route).spec).includes(`"${apex}-canary"`) && this.#isShared(route, apex))
          this.#shared.add(`${apex} of ${keyOf(route)}`);
    // Uses the age of the routes in the cluster: age decides between routes.
    const aged = declared.map((one) => ({ ...one, metadata: live.find((other) => keyOf(other) === keyOf(one))?.metadata ?? one.metadata }));
    return this.#asked().flatMap((asked): Loss[] => {
      const [before, now] = [this.#answer(seen, aged, asked, true), this.#answer(seen, live, asked, false)];
      const what = `what answers ${asked.host}${asked.port ? `:${asked.port}` : asked.path} ${canonical(asked.headers)}`;
      return before === now ? [] : [{ kind: 'route', what, before, now, objects: declared.map(keyOf) }];
    });
  }

  /** Routes that are not what the user wrote last. */
  unlike(objects: readonly KubeObject[], isMeant: (key: string) => boolean): Loss[] {
    return [...this.#declared].flatMap(([key, route]): Loss[] => {
      const live = objects.find((one) => keyOf(one) === key);
      const textOf = (one: KubeObject | undefined) =>
        canonical({ spec: raw(one)?.spec, labels: one?.metadata.labels ?? {}, annotations: one?.metadata.annotations ?? {} });
      const [before, now] = [textOf(route), textOf(live)];
      return before === now || !isMeant(key) ? [] : [{ kind: 'route', what: `the bytes of ${key}`, before, now, objects: [key] }];
    });
  }

  /** A mirror also counts. */
  #isShared(route: KubeObject, apex: string): boolean {
    const text = JSON.stringify(raw(route).spec);
    const sent = readers[this.#kind].askedOf(route).flatMap((asked) => readers[this.#kind].answer([route], asked)?.sent ?? []);
    return /mirror/i.test(text) || sent.some(({ service, weight }) => service === `${apex}-canary` && weight > 0);
  }

  #asked(): Asked[] {
    const all = [...this.#declared.values()].flatMap((route) => readers[this.#kind].askedOf(route));
    const more = all.flatMap((asked) => this.#more.map((headers) => ({ ...asked, headers: { ...asked.headers, ...headers } })));
    return [...new Map(more.map((asked) => [canonical(asked), asked])).values()];
  }

  /** With `isDeclared` the apex Service counts as the application, with any pods behind it. */
  #answer(seen: Seen, routes: readonly KubeObject[], asked: Asked, isDeclared: boolean): string {
    const answer = readers[this.#kind].answer(routes, asked);
    if (answer === undefined) return 'no rule';
    const total = answer.sent.reduce((sum, { weight }) => sum + weight, 0);
    const shares = new Map<string, number>();
    for (const sent of answer.sent) {
      if (sent.weight === 0) continue;
      const [by, whole] = [this.#nameOf(seen, sent, isDeclared), canonical(sent.terms)];
      const key = `${by} ${whole}`;
      shares.set(key, (shares.get(key) ?? 0) + sent.weight / total);
    }
    const parts = [...shares].map(([key, share]) => `${share.toFixed(4)} ${key}`).toSorted();
    return `${parts.join('; ') || 'the rule itself'} ${canonical(answer.terms)}`;
  }

  #nameOf(seen: Seen, sent: Sent, isDeclared: boolean): string {
    const { service: name, port, namespace } = sent;
    const sidesOf = (apex: string) => (isDeclared ? [apex] : [apex, `${apex}-primary`, `${apex}-canary`]);
    const app = namespace === this.#app.namespace ? this.#apps.find(({ apex }) => sidesOf(apex).includes(name)) : undefined;
    if (!app) return `Service ${namespace}/${name}:${port ?? 'any'}`;
    const { target } = app;
    if (isDeclared) return `${target}:${TARGET_PORTS[port ?? 80]}`;
    const service = seen.own('Service').find(({ metadata }) => metadata.name === name);
    const ports = raw(service)?.spec.ports ?? [];
    const at = ports.find((one: { port: number }) => port === undefined || one.port === port);
    const answers = at ? endpointsOf(seen, { service, host: '', port: at }) : [];
    const nameOf = (workload: string) => (workload === APPLICATION ? this.#app.target : workload);
    return answers.length === 0
      ? `nothing behind Service ${name}:${port}`
      : [...new Set(answers.map(({ workload, number }) => `${nameOf(workload.name)}:${number}`))].join('+');
  }
}

const keyOf = ({ kind, metadata }: KubeObject): string =>
  metadata.namespace === 'test' || metadata.namespace === undefined
    ? `${kind}/${metadata.name}`
    : `${kind}/${metadata.namespace}/${metadata.name}`;
