import { asPodWorkload } from './kinds/pod-workload.ts';
import type { Labels, Slim } from './kube-object.ts';

/** A label by which Services select pods. */
export interface SelectorLabel {
  key: string;
  value: string;
}

/** The label whose value distinguishes the pods of the two sides. */
export interface SelectorLabels {
  key: string;
  /** Its value on the target's pods. */
  target: string;
  /** Its value on the primary's pods. */
  primary: string;
  /** `matchLabels` of a primary that exists: its pods keep them, since a selector never changes. */
  held?: Labels;
  /** `matchLabels` of each side, if they have more than this one label: other workloads can have this label also. */
  whole?: Labels;
  wholePrimary?: Labels;
}

/** The objects of both sides that exist. */
export interface SelectedSides {
  target?: Slim | undefined;
  primary?: Slim | undefined;
}

/** Longest label value that Kubernetes accepts. */
const MAX_LABEL_LENGTH = 63;
const SUFFIX = '-primary';

/** The value of the selector label on the primary. */
export function primaryValue(value: string): string {
  return `${value}${SUFFIX}`;
}

/** The value of the selector label on the target, from either side's value. */
export function withoutSuffix(value: string | undefined): string | undefined {
  return value?.endsWith(SUFFIX) ? value.slice(0, -SUFFIX.length) : value;
}

/** Reason for which an object cannot be used, and the field that decides it. */
export interface FieldProblem {
  problem: string;
  field: string;
}

const FIELD = 'spec.selector.matchLabels';

/**
 * The selector label of both sides. A primary that exists decides the key, since Services and routes already lead to its pods: neither another
 * `--selector-labels` nor another target changes it. Without a primary it is the first of `selectorLabels` in the target. Without a target its value
 * is the primary's without the suffix. A target without the primary's key is a problem: no Service could distinguish its pods.
 */
export function resolveSelectors({ target, primary }: SelectedSides, selectorLabels: readonly string[]): SelectorLabels | FieldProblem {
  const held = primary && matchLabelsOf(primary);
  const own = held && labelOfPrimary(held, target && matchLabelsOf(target), selectorLabels);
  if (held === undefined || own === undefined) {
    const source = target ?? primary;
    if (source === undefined) return { problem: 'neither target nor primary exists', field: FIELD };
    const label = resolveSelector(source, selectorLabels);
    if ('problem' in label) return label;
    return {
      key: label.key,
      target: label.value,
      primary: primaryValue(label.value),
      ...(held && { held }),
      ...wholeOf(target, primaryValue(label.value), label.key, held),
    };
  }
  const { key, value } = own;
  const sides = { key, primary: value, held };
  if (target === undefined) return { ...sides, target: value.slice(0, -SUFFIX.length), ...wholeOf(undefined, value, key, held) };
  const found = matchLabelsOf(target)[key];
  if (found !== undefined && found !== value) return { ...sides, target: found, ...wholeOf(target, value, key, held) };
  const name = `${target.kind} ${target.metadata.name}`;
  const has = found === undefined ? `has no ${key}` : `has ${key}: ${found} as the primary has`;
  const remedy = `create it again with ${key}: ${value.slice(0, -SUFFIX.length)} there and on its pods, or delete the Canary and create it again for a new primary`;
  return { problem: `${name}: ${FIELD} ${has}, and its primary is selected by ${key}: ${value}; ${remedy}`, field: `${FIELD}.${key}` };
}

/** The first of `selectorLabels` by which the target selects its pods, or the reason for which none is found, which is reported early. */
export function resolveSelector(target: Slim, selectorLabels: readonly string[]): SelectorLabel | FieldProblem {
  const labels = matchLabelsOf(target);
  const name = `${target.kind} ${target.metadata.name}`;
  const key = selectorLabels.find((candidate) => Object.hasOwn(labels, candidate));
  const value = key === undefined ? undefined : labels[key];
  if (key === undefined || value === undefined) {
    const remedy = 'create it again with one of them, since a selector never changes, or name its label in --selector-labels';
    return { problem: `${name}: ${FIELD} has none of ${selectorLabels.join(', ')}: ${remedy}`, field: FIELD };
  }
  if (primaryValue(value).length > MAX_LABEL_LENGTH) {
    const field = `${FIELD}.${key}`;
    return { problem: `${name}: ${field} must be at most ${MAX_LABEL_LENGTH - 8} characters, so that -primary can be added`, field };
  }
  return { key, value };
}

/** For kinds whose pods come from no template: this label selects and rewrites none of their objects. */
export function namedSelectors({ target, primary }: SelectedSides, selectorLabels: readonly string[]): SelectorLabels {
  const name = target?.metadata.name ?? withoutSuffix(primary?.metadata.name) ?? '';
  return { key: selectorLabels[0] ?? 'app', target: name, primary: primaryValue(name) };
}

/** Of several labels with the suffix, the label that differs from the target's only by the suffix, then the first by `selectorLabels`. */
function labelOfPrimary(held: Labels, target: Labels | undefined, selectorLabels: readonly string[]): SelectorLabel | undefined {
  const suffixed = Object.entries(held).filter(([, value]) => value.length > SUFFIX.length && value.endsWith(SUFFIX));
  const paired = suffixed.filter(([key, value]) => target?.[key] !== undefined && primaryValue(target[key]) === value);
  const candidates = paired.length > 0 ? paired : suffixed;
  const named = selectorLabels.flatMap((label) => candidates.filter(([key]) => key === label));
  const [key, value] = named[0] ?? candidates[0] ?? [];
  return key === undefined || value === undefined ? undefined : { key, value };
}

/** A primary that does not exist yet will have the labels of its target. */
function wholeOf(
  target: Slim | undefined,
  primary: string,
  key: string,
  held: Labels | undefined,
): Pick<SelectorLabels, 'whole' | 'wholePrimary'> {
  const whole = target && matchLabelsOf(target);
  const ofPrimary = held ?? { ...whole, [key]: primary };
  const isMore = (labels: Labels) => Object.keys(labels).length > 1;
  return {
    ...(whole && isMore(whole) && { whole }),
    ...(isMore(ofPrimary) && ofPrimary[key] === primary && { wholePrimary: ofPrimary }),
  };
}

function matchLabelsOf(workload: Slim): Labels {
  return asPodWorkload(workload).spec?.selector?.matchLabels ?? {};
}
