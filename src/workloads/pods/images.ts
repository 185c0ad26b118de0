import { type ContainerImage, LONGEST_IMAGE, MOST_IMAGES } from '../../api/container-image.ts';
import type { KubeObject } from '../../api/kube-object.ts';
import { isRecord } from '../../base/json.ts';

/** The images of a pod template; undefined for an object without one. */
export function imagesOf({ spec }: KubeObject): readonly ContainerImage[] | undefined {
  const template = isRecord(spec) && isRecord(spec.template) ? spec.template : {};
  const containers = isRecord(template.spec) ? template.spec.containers : undefined;
  if (!Array.isArray(containers)) return undefined;
  return containers.slice(0, MOST_IMAGES).flatMap((one: unknown) => {
    if (!isRecord(one) || typeof one.name !== 'string' || typeof one.image !== 'string') return [];
    return [{ container: one.name, image: one.image.slice(0, LONGEST_IMAGE) }];
  });
}
