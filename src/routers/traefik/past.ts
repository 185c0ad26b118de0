import type { Canary } from '../../api/canary.ts';
import { specOf } from '../../api/kinds/spec-of.ts';
import { groupOf, type KubeObject } from '../../api/kube-object.ts';
import { names } from '../../api/names.ts';
import { isRecord, type JsonRecord, recordsIn } from '../../base/json.ts';
import { DEFAULT_NAME } from '../ports.ts';
import type { Unkept } from '../router.ts';
import { serviceRef } from './render.ts';

/** Where each kind names Services that requests go to. */
const LEADING: Readonly<Record<string, Readonly<Record<string, (value: unknown) => readonly JsonRecord[]>>>> = {
  IngressRoute: { routes: (routes) => recordsIn(routes).flatMap(({ services }) => recordsIn(services)) },
  TraefikService: {
    weighted: (weighted) => (isRecord(weighted) ? recordsIn(weighted.services) : []),
    // Its mirrors get copies, which are no requests of users.
    mirroring: (main) => (isRecord(main) ? [main] : []),
  },
};

/** Routes of the Canary's namespace that lead to the apex Service by the port that is released, past the TraefikService: the Service has no weights. */
export function pastTraefikService(canary: Canary, objects: readonly KubeObject[]): Unkept[] {
  const { apexService } = names(canary);
  const { namespace: home } = canary.metadata;
  const { port, portName = DEFAULT_NAME } = canary.spec.service;
  const own = serviceRef(canary);
  const leadsThere = ({ name, namespace = home, kind = 'Service', port: its = port }: JsonRecord): boolean =>
    name === apexService && namespace === home && kind === 'Service' && (its === port || its === portName);
  const others = objects.filter(
    ({ apiVersion, kind, metadata: { name, namespace } }) =>
      groupOf(apiVersion) === groupOf(own.apiVersion) && namespace === home && !(kind === own.kind && name === own.name),
  );
  return others.flatMap((on) => {
    const field = Object.entries(LEADING[on.kind] ?? {}).find(([name, servicesIn]) =>
      servicesIn(specOf<JsonRecord>(on)[name]).some(leadsThere),
    );
    if (field === undefined) return [];
    return [
      {
        ...{ on, field: `spec.${field[0]}`, isRefused: false },
        detail: `leads to Service ${apexService}, and its requests get no share of a canary`,
        remedy: `lead there to TraefikService ${apexService}, which Serin makes, as {kind: TraefikService, name: ${apexService}}`,
      },
    ];
  });
}
