import type { Canary } from '../../api/canary.ts';
import type { MetricTemplateSpec } from '../../api/metric-template.ts';
import { parseCanary, parseMetricTemplate } from '../../api/parse-canary.ts';
import { parseLabelSelector } from '../../kube/label-selector-text.ts';
import type { Item } from '../validate/documents.ts';
import { isFlaggerObject } from '../validate/manifests.ts';
import { type SecretRefAt, secretRefsIn } from './secret-refs.ts';
import type { RightsSettings } from './settings.ts';

/** A mistake of a manifest that hides what its Canary needs. */
export interface RightsProblem {
  item: Item;
  /** Path of the field. */
  path: string;
  message: string;
}

/** An object of the files in a namespace that is known. */
export interface PlacedItem {
  item: Item;
  namespace: string;
  secretRefs: readonly SecretRefAt[];
}

/** The objects of the files that rights follow from. */
export interface Inventory {
  canaries: readonly (PlacedItem & { canary: Canary })[];
  templates: readonly (PlacedItem & { spec: MetricTemplateSpec })[];
  alertProviders: readonly PlacedItem[];
  /** All of them: targets are among them. */
  items: readonly Item[];
  problems: readonly RightsProblem[];
}

/** Names are printed, also in comments: a name that no Kubernetes object can have would be text of the author's. */
const NAME = /^[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?$/;
export const isObjectName = (text: string): boolean => NAME.test(text);

/** The part of these objects that the controller with these settings looks after. */
export function inventoryOf(items: readonly Item[], { config }: Pick<RightsSettings, 'config'>): Inventory {
  const problems: RightsProblem[] = [];
  const refuse = (item: Item, path: string, message: string): undefined => {
    problems.push({ item, path, message });
    return undefined;
  };
  const placed = (item: Item): PlacedItem | undefined => {
    const { name, namespace, object } = item;
    if (!isObjectName(name)) return refuse(item, 'metadata.name', 'is not a name of Kubernetes: write it in lower case, like shop');
    if (namespace === undefined) return refuse(item, 'metadata.namespace', 'is missing: add it, or give --namespace');
    if (!isObjectName(namespace))
      return refuse(item, 'metadata.namespace', 'is not a name of Kubernetes: write it in lower case, like shop');
    const secretRefs = secretRefsIn(object.spec);
    const broken = secretRefs.find((ref) => !isObjectName(ref.name));
    if (broken) return refuse(item, `${broken.path}.name`, 'is not a name of Kubernetes: write it in lower case, like slack');
    return { item, namespace, secretRefs };
  };
  const selector = parseLabelSelector(config.canarySelector);
  const isSelected = ({ object }: Item) => 'unreadable' in selector || selector.matches(object.metadata?.labels ?? {});
  const canaries = items.flatMap((item): Inventory['canaries'] => {
    if (!isFlaggerObject(item.object, 'Canary') || !isSelected(item)) return [];
    const read = parseCanary(item.object);
    if ('problems' in read) {
      for (const { path, message } of read.problems) refuse(item, path, message);
      return [];
    }
    const known = placed(item);
    return known ? [{ ...known, canary: { ...read.canary, metadata: { ...read.canary.metadata, namespace: known.namespace } } }] : [];
  });
  const templates = items.flatMap((item): Inventory['templates'] => {
    if (!isFlaggerObject(item.object, 'MetricTemplate')) return [];
    const read = parseMetricTemplate(item.object);
    if ('problems' in read) {
      for (const { path, message } of read.problems) refuse(item, path, message);
      return [];
    }
    const known = placed(item);
    return known ? [{ ...known, spec: read.metricTemplate.spec }] : [];
  });
  const alertProviders = items.flatMap((item) => (isFlaggerObject(item.object, 'AlertProvider') ? (placed(item) ?? []) : []));
  return { canaries, templates, alertProviders, items, problems };
}
