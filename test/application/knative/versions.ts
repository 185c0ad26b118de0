import type { KubeObject } from '../../../src/api/kube-object.ts';
import { raw } from '../../fakes/raw.ts';
import { knativeTemplate } from '../../scenarios/kinds/knative.ts';

/** The template of a version; a broken one never becomes ready. */
export const aRevisionOf = (version: string): object => knativeTemplate(version, version === 'broken' ? { NEVER_READY: '1' } : {});

/** The version in a Knative Service, or in a Revision. */
export function versionIn(object: KubeObject | undefined): string | undefined {
  const { template, containers } = raw(object)?.spec ?? {};
  const image: string | undefined = (template?.spec.containers ?? containers)?.[0]?.image;
  return image?.split(':')[1];
}
