declare const isSlim: unique symbol;

/** A Kubernetes object as raw JSON: fields we do not know pass through unchanged. */
export interface KubeObject {
  apiVersion: string;
  kind: string;
  metadata: ObjectMeta;
  [field: string]: unknown;
  readonly [isSlim]?: never;
}

/** An object in a watch cache: without the fields that no decision reads. It cannot be used where a whole object is needed. */
export type Slim<T extends KubeObject = KubeObject> = { [K in keyof T as K extends typeof isSlim ? never : K]: T[K] } & {
  readonly [isSlim]?: true;
};

/** The fields of metadata that Serin reads. */
export interface ObjectMeta {
  name: string;
  namespace?: string;
  uid?: string;
  resourceVersion?: string;
  generation?: number;
  labels?: Labels;
  annotations?: Labels;
  ownerReferences?: OwnerReference[];
  finalizers?: string[];
  creationTimestamp?: string;
  deletionTimestamp?: string;
  [field: string]: unknown;
}

/** One entry of metadata.ownerReferences. */
export interface OwnerReference {
  apiVersion: string;
  kind: string;
  name: string;
  uid: string;
  controller?: boolean;
  blockOwnerDeletion?: boolean;
}

export type Labels = Record<string, string>;

/** Names one object; `namespace` is absent for cluster-scoped kinds. */
export interface ObjectRef {
  apiVersion: string;
  kind: string;
  name: string;
  namespace?: string;
}

/** Names an object of which a watch keeps the slim form only. */
export type SlimRef = ObjectRef & { readonly [isSlim]: true };

export const slimRef = (ref: ObjectRef): SlimRef => ref as SlimRef;

/** One key for maps: `apps/v1/Deployment/test/podinfo`. */
export function refKey(ref: ObjectRef): string {
  return [ref.apiVersion, ref.kind, ref.namespace, ref.name].join('/');
}

/** The reference of an object: kind, name and namespace. */
export function refOf(object: Slim): ObjectRef {
  const { name, namespace } = object.metadata;
  return { apiVersion: object.apiVersion, kind: object.kind, name, ...(namespace === undefined ? {} : { namespace }) };
}

/** The group of an API version; the core group is the empty text. */
export const groupOf = (apiVersion: string): string => apiVersion.split('/').slice(0, -1).join('/');

/** `namespace/name`. */
export const labelOf = ({ metadata }: { metadata: { namespace: string; name: string } }): string =>
  `${metadata.namespace}/${metadata.name}`;

/** The object that a reference names, in whichever version of its group it was read. */
export function findObject(current: readonly KubeObject[], ref: ObjectRef): KubeObject | undefined {
  return current.find(
    (object) =>
      object.kind === ref.kind &&
      object.metadata.name === ref.name &&
      (object.metadata.namespace ?? ref.namespace) === ref.namespace &&
      groupOf(object.apiVersion) === groupOf(ref.apiVersion),
  );
}
