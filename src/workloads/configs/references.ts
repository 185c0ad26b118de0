import { isRecord, type JsonRecord } from '../../base/json.ts';
import { type ConfigKey, type ConfigKind, type ConfigRef, configKey } from './config-ref.ts';

/** Called with each reference, in Flagger's order; returns the new name, or undefined to keep the old one. */
type Rename = (kind: ConfigKind, name: string, optional: boolean) => string | undefined;

/** Every ConfigMap and Secret that a pod spec reads, each once, in the order found. */
export function configReferences(podSpec: JsonRecord | undefined): ConfigRef[] {
  const found = new Map<ConfigKey, ConfigRef>();
  mapReferences(podSpec ?? {}, (kind, name, optional) => {
    const key = configKey({ kind, name });
    found.set(key, { kind, name, optional: optional && (found.get(key)?.optional ?? true) });
    return undefined;
  });
  return [...found.values()];
}

/** The pod spec with the references to these configs renamed, and otherwise unchanged. */
export function rewriteReferences<T extends JsonRecord>(podSpec: T, copies: ReadonlyMap<string, string>): T {
  return mapReferences(podSpec, (kind, name) => copies.get(configKey({ kind, name })));
}

/**
 * The only list of places: volumes, then containers, then init containers (native sidecars are init containers). Ephemeral containers, pull
 * secrets and the secrets of other volume kinds do not count.
 */
function mapReferences<T extends JsonRecord>(podSpec: T, rename: Rename): T {
  const mapped = mapList(podSpec, 'volumes', (volume) => mapVolume(volume, rename));
  const container = (each: JsonRecord) => mapContainer(each, rename);
  return mapList(mapList(mapped, 'containers', container), 'initContainers', container);
}

function mapVolume(volume: JsonRecord, rename: Rename): JsonRecord {
  const plain = mapName(mapName(volume, 'configMap', 'name', 'ConfigMap', rename), 'secret', 'secretName', 'Secret', rename);
  return mapMember(plain, 'projected', (projected) =>
    mapList(projected, 'sources', (source) =>
      mapName(mapName(source, 'configMap', 'name', 'ConfigMap', rename), 'secret', 'name', 'Secret', rename),
    ),
  );
}

function mapContainer(container: JsonRecord, rename: Rename): JsonRecord {
  const withEnv = mapList(container, 'env', (variable) =>
    mapMember(variable, 'valueFrom', (from) => mapFirst(from, 'configMapKeyRef', 'secretKeyRef', rename)),
  );
  return mapList(withEnv, 'envFrom', (from) => mapFirst(from, 'configMapRef', 'secretRef', rename));
}

/** A ConfigMap reference, else a Secret reference: Kubernetes allows one of them. */
function mapFirst(from: JsonRecord, configMap: string, secret: string, rename: Rename): JsonRecord {
  if (isRecord(from[configMap])) return mapName(from, configMap, 'name', 'ConfigMap', rename);
  return mapName(from, secret, 'name', 'Secret', rename);
}

function mapName(holder: JsonRecord, field: string, nameField: string, kind: ConfigKind, rename: Rename): JsonRecord {
  return mapMember(holder, field, (reference) => {
    const name = reference[nameField];
    if (typeof name !== 'string' || name === '') return reference;
    const renamed = rename(kind, name, reference.optional === true);
    return renamed === undefined ? reference : { ...reference, [nameField]: renamed };
  });
}

function mapMember<T extends JsonRecord>(holder: T, field: string, map: (member: JsonRecord) => JsonRecord): T {
  const member = holder[field];
  if (!isRecord(member)) return holder;
  const mapped = map(member);
  return mapped === member ? holder : { ...holder, [field]: mapped };
}

function mapList<T extends JsonRecord>(holder: T, field: string, map: (item: JsonRecord) => JsonRecord): T {
  const list = holder[field];
  if (!Array.isArray(list)) return holder;
  const mapped = list.map((item: unknown) => (isRecord(item) ? map(item) : item));
  return mapped.every((item, index) => item === list[index]) ? holder : { ...holder, [field]: mapped };
}
