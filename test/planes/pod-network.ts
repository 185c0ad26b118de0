import { networkOn } from '../../src/embedded/network.ts';
import { type App, type AppContext, startApp } from '../../src/embedded/nodes/app.ts';
import type { AppBehaviour } from '../../src/embedded/nodes/behaviour.ts';

const DEFAULT_PORT = 8080;

/**
 * A pod at its own address and port, as proxies and Services dial it. Needs a network namespace in which every address of the pods is
 * a local one: `npm run test:planes` makes it.
 */
export async function runAtPodAddress(behaviour: AppBehaviour, context: AppContext): Promise<App> {
  const { podIP, containerPort = DEFAULT_PORT, world } = context;
  const { listen } = networkOn(podIP);
  const network = { ...world.network, listen: (server: Parameters<typeof listen>[0]) => listen(server, containerPort) };
  const app = await startApp(behaviour, { ...context, world: { ...world, network } });
  return { ...app, host: podIP };
}
