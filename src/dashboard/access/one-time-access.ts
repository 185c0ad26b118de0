import type { Clock } from '../../api/clock.ts';
import type { CanaryModel } from '../canary-model.ts';
import { Sessions } from '../sessions.ts';
import type { Views } from '../views.ts';
import { type Access, cookieOf, type Viewer } from './access.ts';

/** Of the dashboard of one user on this machine. */
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
  // Cookies are shared by all ports of a host.
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
          text: 'wrong token, or one that was used: start serin dashboard again, and open the address that it prints\n',
        };
      const headers = { 'set-cookie': `${cookie}=${exchanged.session}; Path=/; HttpOnly; SameSite=Strict`, location: '/' };
      return { status: 303, text: '', headers };
    },
    viewerOf: (cookies) => (sessions.isOpen(cookieOf(cookies, cookie)) ? viewer : undefined),
    refuse: () => ({ status: 401, text: 'no session: start serin dashboard again, and open the address that it prints\n' }),
  };
}
