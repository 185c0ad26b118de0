import { createServer, type Server, type ServerOptions } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { type ClusterAccessOptions, clusterAccess } from '../access/cluster-access.ts';
import { isLocal, type Listener, localListener, serviceListener } from '../access/listener.ts';
import { LIMITS, serveDashboard } from '../dashboard-server.ts';
import type { DashboardSettings } from './dashboard-settings.ts';
import type { watchedTls } from './watched-tls.ts';

/** Settings, certificate and access of the listeners. */
export interface ListenersOptions {
  settings: Pick<DashboardSettings, 'port' | 'localPort' | 'origin'>;
  tls: ReturnType<typeof watchedTls> | undefined;
  access: Omit<ClusterAccessOptions, 'listener'>;
  /** Host of the Service's listener, by default all addresses. Only tests set it. */
  host?: string;
}

/** The listeners that are open. */
export interface OpenListeners {
  /** For the Service; absent without an address under which browsers reach it. */
  port: number | undefined;
  /** On the loopback address, for a port-forward. */
  localPort: number;
  stop(): Promise<void>;
}

/** A listener that cannot be opened, by the flag to correct. */
export class ListenerProblem extends Error {
  override readonly name = 'ListenerProblem';
}

const LOOPBACK = '127.0.0.1';
const SERVER_LIMITS = {
  ...{ ...LIMITS, connections: 512, strangersUnderWay: 64 },
  ...{ streams: 256, streamsOfSession: 12, requestsUnderWay: 64, requestsOfSession: 16 },
};

/**
 * Serves the dashboard at two listeners, each with sessions, logins and connections of its own: cookies of `localhost` go to every port of the user's machine,
 * so the listener with that name is reached only by a port-forward. Rejects with a `ListenerProblem`.
 */
export async function serveListeners({ settings, tls, access: given, host }: ListenersOptions): Promise<OpenListeners> {
  const { origin } = settings;
  const publicOrigin = origin === undefined || isLocal(new URL(origin).host) ? undefined : origin;
  const stops: (() => unknown)[] = [];
  const stop = async () => {
    for (const end of stops) await end();
  };
  const open = async (
    flag: string,
    port: number,
    listener: Listener,
    at: string | undefined,
    server: (options: ServerOptions) => Server,
  ) => {
    // A provider sends browsers back to the origin of one listener.
    const oidc = (listener === localListener) === (publicOrigin === undefined) ? given.oidc : undefined;
    const access = clusterAccess({ ...given, oidc, listener });
    stops.push(() => access.stop());
    try {
      const where = at === undefined ? {} : { host: at };
      const served = await serveDashboard({ port, ...where, server, accessAt: () => access, clock: given.clock, limits: SERVER_LIMITS });
      stops.push(() => served.stop());
      return served.port;
    } catch (error) {
      await stop();
      const { code, message } = error as NodeJS.ErrnoException;
      const why = code === 'EADDRINUSE' ? 'another program listens there: choose another port, or 0 for a free one' : message;
      throw new ListenerProblem(`${flag} ${port}: ${why}`, { cause: error });
    }
  };
  const plain = (options: ServerOptions): Server => createServer(options);
  const ofService = (options: ServerOptions): Server => (tls ? tls.follow(createTlsServer({ ...options, ...tls.now() })) : plain(options));
  return {
    port:
      publicOrigin === undefined
        ? undefined
        : await open('--dashboard-port', settings.port, serviceListener(publicOrigin), host, ofService),
    localPort: await open('--dashboard-local-port', settings.localPort, localListener, LOOPBACK, plain),
    stop,
  };
}
