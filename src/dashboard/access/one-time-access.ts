import type { Clock } from '../../base/clock.ts';
import type { CanaryModel } from '../canary-model.ts';
import { withProof } from '../own-headers.ts';
import { Sessions } from '../sessions.ts';
import type { Views } from '../views.ts';
import { type Access, credentialsOf, type Viewer } from './access.ts';

/** Access to the dashboard of one user on this machine. */
export interface OneTimeOptions {
  /** Exchanged once for a session. */
  token: string;
  model: CanaryModel;
  views: Views;
  clock: Clock;
  wrongTokensAMinute: number;
  port: number;
}

/** Access by a token that works once, on the loopback address: the viewer has the rights of the kubeconfig. */
export function oneTimeAccess({ token, model, views, clock, wrongTokensAMinute, port }: OneTimeOptions): Access {
  const sessions = new Sessions(token, clock, wrongTokensAMinute);
  const hosts = [`127.0.0.1:${port}`, `localhost:${port}`];
  // All ports of a host share its cookies: the name keeps those of another dashboard apart, and the proof keeps this one from being of use to others.
  const cookie = `serin-dashboard-${port}`;
  const viewer: Viewer = {
    ...{ session: sessions, views, about: { mayAct: true } },
    followList(show) {
      show(model.list());
      return model.onChange(show);
    },
    waitSeconds: () => undefined,
    mayRead: async () => undefined,
    onEnd: () => () => undefined,
  };
  return {
    originOf: (host) => (hosts.includes(host) ? `http://${host}` : undefined),
    hostRemedy: 'open the address that serin dashboard printed',
    async enter({ method }, path, query) {
      if (path !== '/login' || method !== 'GET') return undefined;
      const exchanged = sessions.exchange(query.get('token') ?? '');
      if (exchanged === 'tooMany') return { status: 429, text: 'too many wrong tokens: wait a minute\n' };
      if (exchanged === 'wrong')
        return {
          status: 401,
          text: 'wrong or used token: start serin dashboard again, and open the address that it prints\n',
        };
      const headers = { 'set-cookie': `${cookie}=${exchanged.cookie}; Path=/; HttpOnly; SameSite=Strict` };
      return { status: 303, text: '', headers: { ...headers, location: withProof('/', exchanged.proof) } };
    },
    mayLoad: (headers) => sessions.hasCookie(credentialsOf(headers, cookie).cookie),
    viewerOf: (headers) => (sessions.isOpen(credentialsOf(headers, cookie)) ? viewer : undefined),
    refuse: () => ({ status: 401, text: 'no session: start serin dashboard again, and open the address that it prints\n' }),
  };
}
