import { keptPrimaryScaler, renderPrimaryScaler, type ScalerShape } from './primary-scaler.ts';
import { ownLimits, raisePatchOf } from './raised-minimum.ts';
import type { Scaler } from './scaler.ts';

const shape: ScalerShape = {
  apiVersion: 'autoscaling/v2',
  kind: 'HorizontalPodAutoscaler',
  // The server refuses an HPA without a maximum; it limits nothing here.
  fields: { min: 'minReplicas', max: 'maxReplicas', defaults: { min: 1, max: Number.MAX_SAFE_INTEGER }, undercutting: [] },
  isPersonal: () => false,
};

/** HorizontalPodAutoscaler of `autoscaling/v2`, for any version of the group in the reference. */
export const hpa: Scaler = {
  apiVersion: shape.apiVersion,
  kind: shape.kind,
  limits: (scaler) => ownLimits(scaler, shape.fields),
  startReplicas: (scaler) => Math.max(1, ownLimits(scaler, shape.fields).min),
  renderPrimary: (canary, scaler, { atLeast } = {}) => renderPrimaryScaler(canary, scaler, shape, { atLeast }),
  renderKept: (canary, primary, { atLeast } = {}) => keptPrimaryScaler(canary, primary, shape, atLeast),
  raisePatch: (scaler, atLeast, limits) => raisePatchOf(scaler, shape.fields, atLeast, limits),
  // An HPA pauses by itself while its workload is at zero.
  pausePatch: () => undefined,
  resumePatch: () => undefined,
};
