import { ACCESS_LIMITS, type AccessLimits, type ClusterAccessOptions } from '../../src/dashboard/access/cluster-access.ts';
import type { User } from '../../src/dashboard/access/user.ts';
import { CanaryFeed } from '../../src/dashboard/canary-feed.ts';
import { type OpenListeners, serveListeners } from '../../src/dashboard/in-cluster/serve-listeners.ts';
import { OWN_HEADER, PROOF_HEADER } from '../../src/dashboard/own-headers.ts';
import { newSecret } from '../../src/dashboard/sessions.ts';
import { canaryRow, watchKeptRows } from '../../src/dashboard/views/canary-row.ts';
import { clusterViews } from '../../src/dashboard/views/cluster-views.ts';
import { askHttp, type HttpAnswer } from './ask-http.ts';
import { handClock } from './clock.ts';
import { raw } from './raw.ts';
import { ReviewedCluster } from './reviewed-cluster.ts';

export type Headers = Record<string, string>;
type Served = Partial<Pick<ClusterAccessOptions, 'audience' | 'mayAct'>> & { origin?: string | undefined; limits?: Partial<AccessLimits> };

/** The dashboard as a controller serves it, at both listeners, over a cluster that knows tokens and rights. */
export class ControllerDashboard {
  readonly clock = handClock();
  readonly cluster = new ReviewedCluster();
  /** Lines of the log, as JSON. */
  readonly logged: string[] = [];
  readonly #open: OpenListeners[] = [];

  tokenOf(user: User, audience = 'api'): string {
    const token = newSecret();
    this.cluster.users.set(token, { user, audience });
    return token;
  }

  /** `port` is 0 where the Service's listener is not open. */
  async serve({ origin, audience = '', mayAct = true, limits = {} }: Served): Promise<OpenListeners & { port: number }> {
    const { cluster, clock } = this;
    const log = (fields: object, message: string) => void this.logged.push(JSON.stringify({ ...fields, message }));
    const listeners = await serveListeners({
      ...{ settings: { port: 0, localPort: 0, origin }, tls: undefined, host: '127.0.0.1' },
      access: {
        ...{ audience, mayAct, oidc: undefined, clock, log: { info: log, warn: log } },
        served: { cluster: raw(cluster), isElsewhere: () => false },
        source: new CanaryFeed(cluster, { namespaces: [], rowOf: canaryRow, watchKept: watchKeptRows(cluster), clock }),
        viewsOf: (asUser) => clusterViews({ cluster: asUser, namespace: undefined, clock }, 'kubernetes'),
        limits: { ...ACCESS_LIMITS, ...limits },
      },
    });
    this.#open.push(listeners);
    return { ...listeners, port: listeners.port ?? 0 };
  }

  async stop(): Promise<void> {
    await Promise.all(this.#open.splice(0).map((listeners) => listeners.stop()));
  }
}

/** Headers of a POST of the page at this origin. */
export const postingTo = (origin: string): Headers => ({
  ...{ host: new URL(origin).host, origin, [OWN_HEADER]: '1', 'content-type': 'application/json' },
});

/** A login with a token, by a page at this origin. */
export const logInAt = (port: number, origin: string, token: unknown, more: { headers?: Headers; localAddress?: string } = {}) =>
  askHttp(port, '/login', {
    ...{ ...more, method: 'POST', body: JSON.stringify({ token }) },
    headers: { ...postingTo(origin), ...more.headers },
  });

/** Both halves of the session that an answer has opened, as a request has them. */
export const sessionIn = ({ headers }: HttpAnswer): { cookie: string; [PROOF_HEADER]: string } => ({
  cookie: headers['set-cookie']?.[0]?.split(';')[0] ?? '',
  [PROOF_HEADER]: String(headers[PROOF_HEADER]),
});
