import type { ObjectRef } from '../../api/kube-object.ts';

export type ConfigKind = 'ConfigMap' | 'Secret';

/** A ConfigMap or Secret that the pods of a target read. */
export interface ConfigRef {
  kind: ConfigKind;
  name: string;
  /** The pods start without it; only when no reference requires it (in Flagger the last one decides). */
  optional: boolean;
}

/** `configmap/<name>` or `secret/<name>`, as `status.trackedConfigs` names them. */
export type ConfigKey = `${'configmap' | 'secret'}/${string}`;

export function configKey({ kind, name }: Pick<ConfigRef, 'kind' | 'name'>): ConfigKey {
  return kind === 'ConfigMap' ? `configmap/${name}` : `secret/${name}`;
}

export function configObjectRef({ kind, name }: Pick<ConfigRef, 'kind' | 'name'>, namespace: string): ObjectRef {
  return { apiVersion: 'v1', kind, name, namespace };
}
