import { asScaler } from '../../api/kinds/scaler.ts';
import { pausePatch, resumePatch } from './pause.ts';
import { primaryTriggers } from './primary-queries.ts';
import { keptPrimaryScaler, renderPrimaryScaler, type ScalerShape } from './primary-scaler.ts';
import { ownLimits, raisePatchOf } from './raised-minimum.ts';
import type { Scaler } from './scaler.ts';

const shape: ScalerShape = {
  apiVersion: 'keda.sh/v1alpha1',
  kind: 'ScaledObject',
  fields: {
    min: 'minReplicaCount',
    max: 'maxReplicaCount',
    // Source: the ScaledObject specification of KEDA 2.
    defaults: { min: 0, max: 100 },
    undercutting: ['idleReplicaCount'],
  },
  // A copied pause would keep the primary at zero for ever; KEDA sets the label to the name of each ScaledObject itself.
  isPersonal: (key) => key.startsWith('autoscaling.keda.sh/paused') || key === 'scaledobject.keda.sh/name' || key.startsWith('serin.dev/'),
};

/** ScaledObject of KEDA. */
export const scaledObject: Scaler = {
  apiVersion: shape.apiVersion,
  kind: shape.kind,
  limits: (scaler) => ownLimits(scaler, shape.fields),
  startReplicas: (scaler) => Math.max(1, ownLimits(scaler, shape.fields).min),
  renderPrimary(canary, scaler, { atLeast } = {}) {
    const { triggers, warnings } = primaryTriggers(canary, asScaler(scaler).spec?.triggers);
    const change = (spec: Record<string, unknown>) => ({ ...withOwnHpa(spec), ...(triggers && { triggers }) });
    const rendered = renderPrimaryScaler(canary, scaler, shape, { atLeast, change });
    return { object: rendered.object, warnings: [...rendered.warnings, ...warnings] };
  },
  renderKept: (canary, primary, { atLeast } = {}) => keptPrimaryScaler(canary, primary, shape, atLeast),
  raisePatch: (scaler, atLeast, limits) => raisePatchOf(scaler, shape.fields, atLeast, limits),
  pausePatch,
  resumePatch,
};

/** The HPA that KEDA makes has a name of its own where the user chose one. */
function withOwnHpa(spec: Record<string, unknown>): Record<string, unknown> {
  const { advanced } = spec as {
    advanced?: { horizontalPodAutoscalerConfig?: { name?: string }; restoreToOriginalReplicaCount?: boolean };
  };
  if (advanced === undefined) return spec;
  // When the copy goes, KEDA would set the serving primary back to the pods that it had on its first day.
  const { restoreToOriginalReplicaCount: _, horizontalPodAutoscalerConfig: config, ...rest } = advanced;
  const own = config && { horizontalPodAutoscalerConfig: { ...config, ...(config.name && { name: `${config.name}-primary` }) } };
  return { ...spec, advanced: { ...rest, ...own } };
}
