import { ensureTraefikDefinitions } from '../../scripts/e2e-traefik.ts';
import type { KubeObject } from '../../src/api/kube-object.ts';
import { parseExposition } from '../../src/embedded/prometheus/exposition.ts';
import { raw } from '../fakes/raw.ts';
import { applyCrdFiles } from '../scenarios/environment.ts';
import type { StartPlane } from './ground.ts';
import { keepLooking, readJson, readyPods } from './looking.ts';
import { startTraefik, type TraefikOptions } from './traefik.ts';

/** Traefik, for IngressRoutes and TraefikServices. */
export const startTraefikPlane =
  (options: TraefikOptions): StartPlane =>
  async ({ cluster, adminKubeconfigFile }) => {
    await applyCrdFiles(cluster, [await ensureTraefikDefinitions()]);
    const proxy = await startTraefik(adminKubeconfigFile, options);
    let known: Services = {};
    let copies: Record<string, number> = {};
    const looking = keepLooking(async () => {
      const [data, metrics] = await Promise.all([
        readJson<{ services?: Services }>(`${proxy.api}/api/rawdata`),
        fetch(proxy.metricsUrl).then(
          (answer) => answer.text(),
          () => undefined,
        ),
      ]);
      if (data) known = byPlainName(data.services ?? {});
      if (metrics !== undefined) copies = requestsOfCanaries(metrics);
    });
    return {
      url: proxy.url,
      metricsUrl: proxy.metricsUrl,
      knows: (object) => isKnown(object, known),
      // Requests to the canary are copies as long as users only get answers of the primary.
      mirrored: () => copies,
      async stop() {
        await looking.stop();
        await proxy.stop();
      },
    };
  };

type Services = Readonly<Record<string, Service>>;
interface Service {
  weighted?: { services: readonly Share[] };
  mirroring?: { service: string; mirrors?: readonly Share[] };
  loadBalancer?: { servers?: readonly { url: string }[] };
}

/**
 * `namespace-name` of a TraefikService, `namespace-name-port` of a Service. With `safeNaming` the separator is `_`, and the name of a Service comes
 * after that of the object that refers to it.
 */
const plainName = (name: string): string =>
  name
    .replace(/@kubernetescrd$/, '')
    .split('_')
    .slice(-3)
    .join('-');
const byPlainName = (services: Services): Services =>
  Object.fromEntries(Object.entries(services).map(([name, service]) => [plainName(name), service]));

const OF_CANARY = /^(.+)-([^-]+)-canary-\d+$/;

function requestsOfCanaries(metrics: string): Record<string, number> {
  const counted: Record<string, number> = {};
  for (const { labels, value } of parseExposition(metrics)) {
    const [, namespace, app] = OF_CANARY.exec(plainName(labels.service ?? '')) ?? [];
    if (labels.__name__ !== 'traefik_service_requests_total' || app === undefined) continue;
    counted[`${namespace}/${app}`] = (counted[`${namespace}/${app}`] ?? 0) + value;
  }
  return counted;
}

interface Share {
  name: string;
  weight?: number;
  percent?: number;
}
interface Ref extends Share {
  namespace?: string;
  port?: number;
}

function isKnown(object: KubeObject, known: Services): boolean {
  const { name, namespace = '' } = object.metadata;
  if (object.kind === 'TraefikService') {
    const found = known[`${namespace}-${name}`];
    const { weighted, mirroring } = raw(object).spec;
    const nameOf = (ref: Ref) => [ref.namespace ?? namespace, ref.name, ...(ref.port === undefined ? [] : [ref.port])].join('-');
    const named = (refs: readonly Ref[]) => refs.map((ref) => ({ ...ref, name: nameOf(ref) }));
    if (weighted) return sidesOf(found?.weighted?.services) === sidesOf(named(weighted.services));
    return (
      plainName(found?.mirroring?.service ?? '') === nameOf(mirroring) &&
      sidesOf(found?.mirroring?.mirrors ?? []) === sidesOf(named(mirroring.mirrors ?? []))
    );
  }
  if (object.kind !== 'EndpointSlice') return true;
  // Traefik keeps only the Services that a route leads to.
  const { service, addresses } = readyPods(object);
  const prefix = `${namespace}-${service}-`;
  return Object.entries(known)
    .filter(([key]) => key.startsWith(prefix) && /^\d+$/.test(key.slice(prefix.length)))
    .every(([, { loadBalancer }]) => {
      const hosts = new Set(loadBalancer?.servers?.map(({ url }) => new URL(url).hostname));
      return addresses.every((address) => hosts.has(address));
    });
}

const sidesOf = (sides: readonly Share[] | undefined): string =>
  JSON.stringify(sides?.map(({ name, weight = 1, percent = 0 }) => [plainName(name), weight, percent]));
