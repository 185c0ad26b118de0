import type { ReleaseChange } from '../api/canary-status.ts';
import { type ContainerImage, type ImageChange, shortImage } from '../api/container-image.ts';
import { defined } from '../base/defined.ts';
import type { Input } from './context.ts';
import { changedConfigs } from './pin.ts';

/** Maximum number of images, and of configs, that are named. */
const MOST_NAMED = 5;

/**
 * Differences between the primary and the present target; undefined if none is known. Template and configs of the primary are known from the last pin, if that
 * was promoted.
 */
export function releaseChange({ context, event }: Input): ReleaseChange | undefined {
  const { target, primary } = event.facts;
  const { release: last } = context;
  if (target === undefined) return undefined;
  const known = primary?.images && target.images && changedImages(primary.images, target.images);
  const images = known ?? [];
  const isPromoted = last.promotedRevision === last.revision;
  const configs = isPromoted && last.configs && target.configs ? changedConfigs(last.configs, target.configs).slice(0, MOST_NAMED) : [];
  const isOtherTemplate = isPromoted && (last.template ?? last.revision) !== (target.template ?? target.revision);
  // Without known images the change of a template is not shown: it could be a change of an image.
  const isTemplate = isOtherTemplate && known?.length === 0;
  if (images.length + configs.length === 0 && !isTemplate) return undefined;
  const moreImages = images.length - MOST_NAMED;
  return {
    images: images.slice(0, MOST_NAMED).map(shortened),
    ...(moreImages > 0 && { moreImages }),
    configs,
    ...(isTemplate && { template: true }),
  };
}

function shortened({ container, from, to }: ImageChange): ImageChange {
  return defined({ container, from: from && shortImage(from), to: to && shortImage(to) });
}

function changedImages(before: readonly ContainerImage[], after: readonly ContainerImage[]): ImageChange[] {
  const imageIn = (images: readonly ContainerImage[], name: string) => images.find(({ container }) => container === name)?.image;
  const containers = new Set([...before, ...after].map(({ container }) => container));
  return [...containers].flatMap((container) => {
    const [from, to] = [imageIn(before, container), imageIn(after, container)];
    return from === to ? [] : [defined({ container, from, to })];
  });
}
