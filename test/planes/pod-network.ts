import { type Network, networkOn } from '../../src/embedded/network.ts';
import { type App, type AppContext, startApp } from '../../src/embedded/nodes/app.ts';
import type { AppBehaviour } from '../../src/embedded/nodes/behaviour.ts';
import { http2On } from './http2.ts';

const DEFAULT_PORT = 8080;

/**
 * A pod at its own address and ports, as proxies and Services dial it. Needs a network namespace in which every address of the pods is
 * a local one: `npm run test:planes` makes it.
 */
export const runAtPodAddress = (behaviour: AppBehaviour, context: AppContext): Promise<App> => runAt(networkOn, behaviour, context);

/** The same, with a pod that also speaks HTTP/2 without TLS, as gRPC does. */
export const runHttp2AtPodAddress = (behaviour: AppBehaviour, context: AppContext): Promise<App> => runAt(http2On, behaviour, context);

async function runAt(listenerOn: (host: string) => Pick<Network, 'listen'>, behaviour: AppBehaviour, context: AppContext): Promise<App> {
  const { podIP, containerPort = DEFAULT_PORT, otherPorts, world } = context;
  const { listen } = listenerOn(podIP);
  const runPort = (port: number): Promise<App> => {
    const network = { ...world.network, listen: (server: Parameters<typeof listen>[0]) => listen(server, port) };
    return startApp(behaviour, { ...context, world: { ...world, network } });
  };
  const apps = await Promise.all([containerPort, ...otherPorts].map(runPort));
  const [app] = apps as [App];
  const sum = (numbers: readonly number[]): number => numbers.reduce((a, b) => a + b, 0);
  return {
    ...app,
    host: podIP,
    inFlight: () => sum(apps.map((each) => each.inFlight())),
    answered: () => sum(apps.map((each) => each.answered())),
    async close(now) {
      await Promise.all(apps.map((each) => each.close(now)));
    },
  };
}
