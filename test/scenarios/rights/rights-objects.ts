import type { KubeObject } from '../../../src/api/kube-object.ts';
import { NAMESPACE } from './rights-run.ts';

export const OURS = 'flagger.app/v1beta1';
/** Values of an installation whose Canaries name no provider. */
export const BY_SERVICES = { meshProvider: 'kubernetes' };
/** The analysis of a provider without weights. */
export const blueGreen = () => ({ iterations: 2, stepWeight: undefined, maxWeight: undefined });

export const object = (apiVersion: string, kind: string, name: string, fields: object, namespace = NAMESPACE): KubeObject => ({
  apiVersion,
  kind,
  metadata: { name, namespace },
  ...fields,
});

const base64 = (text: string): string => Buffer.from(text).toString('base64');

export const secret = (name: string, data: Record<string, string>, namespace = NAMESPACE): KubeObject =>
  object(
    'v1',
    'Secret',
    name,
    { type: 'Opaque', data: Object.fromEntries(Object.entries(data).map(([key, text]) => [key, base64(text)])) },
    namespace,
  );
