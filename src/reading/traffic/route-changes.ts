import { findObject, type KubeObject, refOf } from '../../api/kube-object.ts';
import { carriedAnnotation } from '../../api/names.ts';
import { parseStatus } from '../../api/parse-status.ts';
import { allToPrimary, type Routes } from '../../api/routes.ts';
import { specRecords } from '../../api/tracking-metadata.ts';
import { isRecord } from '../../base/json.ts';
import { ifExpressible } from '../../routers/index.ts';
import type { Apex } from '../../routers/router.ts';
import { discoverPorts, renderServices } from '../../routers/services.ts';
import type { Workload } from '../../workloads/workload.ts';
import { fieldDifferences } from '../changes/field-differences.ts';
import { SELECTOR_LABELS } from '../changes/pending-changes.ts';
import { redactObject } from '../redaction/redact-object.ts';
import { objectLabel, type RouteObjects } from './route-objects.ts';

/** One field of a route object: with all traffic at the primary, as before and after a release, and now. */
export interface RouteDifference {
  /** Kind, namespace and name. */
  object: string;
  /** Empty for the object itself. */
  field: string;
  /** JSON, absent if the field does not exist. */
  before?: string | undefined;
  now?: string | undefined;
}

const NOT_SHOWN = '(not shown)';
/** Deeper than any provider nests its rules; deeper fields of other writers are not compared. */
const DEEPEST = 60;

/**
 * The fields in which the route objects differ from Serin's desired state while all traffic is at the primary. Fields that Serin never writes are left out:
 * defaults of the API server, marks of other tools. A value that could be a credential is not shown. Pure.
 */
export function routeChanges(
  { canary, router, found, services }: RouteObjects,
  { workload, target, primary }: { workload: Workload; target: KubeObject; primary?: KubeObject | undefined },
): RouteDifference[] {
  const selector = workload.selectors({ target, primary }, SELECTOR_LABELS);
  if ('problem' in selector) return [];
  const apex: Apex = { selector, ports: discoverPorts(canary, target, services?.apex) };
  const rendered = (routes: Routes): readonly KubeObject[] => {
    if (!services) return ifExpressible(() => router.render(canary, apex, routes, found).write) ?? [];
    const current = { ...(services.apex && { apex: services.apex }), ...(services.primary && { primary: services.primary }) };
    const written = renderServices(canary, apex, current, { apexOnPrimary: true });
    return 'error' in written ? [] : written.write.filter(({ metadata }) => metadata.name === services.apex?.metadata.name);
  };
  const before = rendered(allToPrimary);
  const recorded = rendered(parseStatus(canary.status)?.release?.routes ?? allToPrimary);
  const live = services ? [services.apex].flatMap((one) => one ?? []) : found;
  return before.flatMap((object) => {
    const ref = refOf(object);
    const now = findObject(live, ref);
    if (isDeeper(now, DEEPEST)) return [{ object: objectLabel(object), field: '', before: NOT_SHOWN, now: NOT_SHOWN }];
    const written = [object, findObject(recorded, ref)].flatMap((one) => (one ? [fieldsOf(one)] : []));
    const held = now && onlyWritten(fieldsOf(now), written);
    const openNow = now && onlyWritten(fieldsOf(shown(now)), written);
    const changes = fieldDifferences(fieldsOf(object), held);
    const open = new Map(fieldDifferences(fieldsOf(shown(object)), openNow).map((one) => [one.field, one]));
    return changes.map(({ field, promoted, target: value }): RouteDifference => {
      const shownAs = open.get(field);
      return {
        object: objectLabel(object),
        field,
        ...(promoted !== undefined && { before: shownAs?.promoted ?? NOT_SHOWN }),
        ...(value !== undefined && { now: shownAs?.target ?? NOT_SHOWN }),
      };
    });
  });
}

const shown = (object: KubeObject): KubeObject => redactObject(object, () => undefined);

/** Everything that routes, without the records of earlier specs. */
function fieldsOf({ apiVersion: _, kind: _kind, metadata, status: _status, ...rest }: KubeObject): object {
  const { annotations = {}, labels = {} } = metadata;
  const kept = Object.fromEntries(Object.entries(annotations).filter(([key]) => key !== carriedAnnotation && !specRecords.includes(key)));
  return { metadata: { annotations: kept, labels }, ...rest };
}

/** The part of a value that one of the renderings has a field for. Entries of a list are compared in their order, and are Serin's as a whole. */
function onlyWritten(value: unknown, written: readonly unknown[]): unknown {
  if (Array.isArray(value))
    return value.map((one, index) => {
      const entries = written.flatMap((list) => (Array.isArray(list) && index in list ? [list[index]] : []));
      return entries.length === 0 ? one : onlyWritten(one, entries);
    });
  if (!isRecord(value)) return value;
  const records = written.filter(isRecord);
  const entries = Object.entries(value).flatMap(([key, one]) => {
    const within = records.flatMap((record) => (key in record ? [record[key]] : []));
    return within.length === 0 ? [] : [[key, onlyWritten(one, within)] as const];
  });
  return Object.fromEntries(entries);
}

/** Looks no deeper than that. */
function isDeeper(value: unknown, most: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return most === 0 || Object.values(value).some((one) => isDeeper(one, most - 1));
}
