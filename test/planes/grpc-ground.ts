import type { RealEnvironment } from '../scenarios/environment.ts';
import { type StartPlane, startGround } from './ground.ts';
import { type GrpcClient, startGrpcClient } from './grpc-client.ts';
import { runHttp2AtPodAddress } from './pod-network.ts';

export type GrpcGround = RealEnvironment & { readonly client: GrpcClient };

/** Users call by gRPC, and pods speak HTTP/2. */
export async function startGrpcGround(
  startPlane: StartPlane,
  options: Omit<Parameters<typeof startGround>[1], 'runApp'> = {},
): Promise<GrpcGround> {
  let client: GrpcClient | undefined;
  const real = await startGround(
    async (started) => {
      const plane = await startPlane(started);
      const calls = await startGrpcClient(plane.url);
      client = calls;
      return {
        ...plane,
        url: calls.url,
        async stop() {
          await calls.stop();
          await plane.stop();
        },
      };
    },
    { ...options, runApp: runHttp2AtPodAddress },
  );
  return { ...real, client: client as GrpcClient };
}
