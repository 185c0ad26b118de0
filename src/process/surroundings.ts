import { isIP } from 'node:net';
import { networkInterfaces } from 'node:os';
import type { ControllerConfig } from '../controller/config.ts';
import type { Connection } from '../kube/connect.ts';
import type { ClusterConnections } from './connections.ts';

/** Settings that no flag has. */
export function ofSurroundings({ own, areRoutesRemote }: ClusterConnections, env: NodeJS.ProcessEnv): Partial<ControllerConfig> {
  const threads = Number(env.UV_THREADPOOL_SIZE);
  return {
    ...{ remoteRoutes: areRoutesRemote, apiServers: addressesOf(own, env), ownAddresses: ownAddresses(env) },
    ...(threads > 0 && { threads }),
  };
}

/** Literal addresses only; the cluster gives its pods the address of an API server that is named. */
function addressesOf({ baseUrl }: Connection, { KUBERNETES_SERVICE_HOST: host = '' }: NodeJS.ProcessEnv): string[] {
  return [new URL(baseUrl).hostname.replace(/^\[|\]$/g, ''), host].filter((one) => isIP(one) !== 0);
}

/** Addresses of the pod, and of its node if the chart names them. */
function ownAddresses({ HOST_IPS = '' }: NodeJS.ProcessEnv): string[] {
  const ofPod = Object.values(networkInterfaces()).flatMap((all = []) => all.map(({ address }) => address));
  return [...ofPod, ...HOST_IPS.split(',').map((one) => one.trim())].filter((one) => isIP(one) !== 0);
}
