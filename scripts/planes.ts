/** Real data planes of test/planes: the programs of each, and the planes that a sample of this day plays. */
import { ensureBinaries } from './e2e-binaries.ts';
import { ensureContour, ensureContourDefinitions } from './e2e-contour.ts';
import { ensureEnvoy } from './e2e-envoy.ts';
import { ensureIstiod, ensureSkipper } from './e2e-go-tool.ts';
import { ensureIngressNginx } from './e2e-ingress-nginx.ts';
import { ensureKnative, ensureKnativeManifests } from './e2e-knative.ts';
import { ensureKubeProxy } from './e2e-kube-proxy.ts';
import { ensureTraefik, ensureTraefikDefinitions, ensureTraefikGatewayDefinitions } from './e2e-traefik.ts';

type Say = (line: string) => void;

/** Programs of each plane beside the control plane, by the beginning of the names of its tests; the longest one counts. */
const PLANES: Readonly<Record<string, readonly ((say: Say) => Promise<unknown>)[]>> = {
  istio: [ensureIstiod, ensureEnvoy],
  'istio-gateway-class': [ensureIstiod, ensureEnvoy],
  'istio-grpc': [ensureIstiod, ensureEnvoy],
  'kube-proxy': [ensureKubeProxy],
  'kube-proxy-nodes': [ensureKubeProxy],
  contour: [ensureContour, ensureContourDefinitions, ensureEnvoy],
  'ingress-nginx': [ensureIngressNginx],
  knative: [ensureKnative, ensureKnativeManifests, ensureContour, ensureContourDefinitions, ensureEnvoy],
  traefik: [ensureTraefik, ensureTraefikDefinitions, ensureTraefikGatewayDefinitions],
  skipper: [ensureSkipper],
  'gateway-api': [ensureContour, ensureContourDefinitions, ensureEnvoy],
};
export const allPlanes: readonly string[] = Object.keys(PLANES);
/** Played in every sample. */
const ALWAYS = ['istio'];
const DAY_MS = 86_400_000;

/** Istio, and of the other planes another one each day. */
export function planesOfTheDay(nowMs: number): string[] {
  const others = allPlanes.filter((plane) => !ALWAYS.includes(plane));
  return [...ALWAYS, ...others.slice(Math.floor(nowMs / DAY_MS) % others.length).slice(0, 1)];
}

/** Builds or finds the programs of a plane; throws `MissingToolError` with the remedies. */
export async function ensurePlane(plane: string, say: Say): Promise<void> {
  await ensureBinaries(say);
  for (const ensure of PLANES[plane] ?? []) await ensure(say);
}

/** The plane that a file of test/planes plays on. */
export function planeOfTest(file: string): string | undefined {
  return allPlanes.toSorted((a, b) => b.length - a.length).find((plane) => file.startsWith(plane));
}
